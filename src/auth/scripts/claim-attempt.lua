-- Adds an attempt to every key, unless one of them holds as many as its limit.
-- Returns 0 if the attempt was added. Else nothing is added, so no key holds more entries than its limit; returns the
-- milliseconds until failures are below the limit, or -1 if attempts under way fill a key, and it is soon free again.
-- An entry is `f` and an id if the attempt failed, `p` and an id while it is under way.
-- After `underWayMillis` an attempt under way counts as failed: its process died.
local windowMillis, underWayMillis, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
-- Then the limit of each key.
local firstLimit = 4

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait, isFull = 0, false
for at, key in ipairs(KEYS) do
  local limit, failed, oldest = tonumber(ARGV[firstLimit + at - 1]), 0, nil
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - windowMillis)
  local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for entry = 1, #entries, 2 do
    local began = tonumber(entries[entry + 1])
    if string.sub(entries[entry], 1, 1) == 'f' or began < now - underWayMillis then
      failed = failed + 1
      oldest = oldest or began
    end
  end
  if failed >= limit then wait = math.max(wait, oldest + windowMillis - now) end
  isFull = isFull or #entries / 2 >= limit
end
if wait > 0 then return wait end
if isFull then return -1 end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now, 'p' .. id)
  redis.call('PEXPIRE', key, windowMillis)
end
return 0
