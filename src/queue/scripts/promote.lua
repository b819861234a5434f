-- Moves deliveries that are due to `again`, on Redis' own clock; those that are parked as well, unless order matters.
-- Returns how many delayed deliveries were moved, and in how many milliseconds the next is due, or -1.
local later, held, again, blocked, parked = unpack(KEYS)
local count = ARGV[1]
local isOrdered, isEverythingDue = ARGV[2] == '1', ARGV[3] == '1'

-- include include/now.lua
-- include include/move-to-again.lua

if not isOrdered and redis.call('EXISTS', blocked) == 1 then
  for _, member in ipairs(redis.call('ZRANGE', parked, 0, -1)) do
    moveToAgain(held, again, string.match(member, '|([^|]*)$'))
  end
  redis.call('UNLINK', blocked, parked)
end
local now = nowMillis()
local ids = redis.call('ZRANGEBYSCORE', later, '-inf', isEverythingDue and '+inf' or now, 'LIMIT', 0, count)
for _, id in ipairs(ids) do
  moveToAgain(held, again, id)
  redis.call('ZREM', later, id)
end
local next = redis.call('ZRANGE', later, 0, 0, 'WITHSCORES')
return { #ids, next[2] and math.max(next[2] - now, 0) or -1 }
