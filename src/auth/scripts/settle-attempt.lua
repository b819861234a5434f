-- Ends an attempt under way in every key: it counts as failed, or is forgotten. Returns nothing.
local id, hasFailed = ARGV[1], ARGV[2] == 'failed'

for _, key in ipairs(KEYS) do
  local began = redis.call('ZSCORE', key, 'p' .. id)
  redis.call('ZREM', key, 'p' .. id)
  if began and hasFailed then redis.call('ZADD', key, began, 'f' .. id) end
end
