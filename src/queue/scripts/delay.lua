-- Delays deliveries, each by so many milliseconds on Redis' own clock; one that is delayed already is replaced.
-- Returns nothing.
local later, held, blocked, parked = unpack(KEYS)
-- Whether the deliveries block their objects; those whose object is blocked already are parked instead.
local isBlocking = ARGV[1] == '1'
-- Then delay, id and content of each delivery.
local firstDelivery = 2

-- include include/now.lua
-- include include/block-or-park.lua

local now = nowMillis()
for i = firstDelivery, #ARGV, 3 do
  local delay, id, content = unpack(ARGV, i, i + 2)
  if not isBlocking or blockOrPark(blocked, parked, held, content) then
    redis.call('HSET', held, id, content)
    redis.call('ZADD', later, now + delay, id)
  end
end
