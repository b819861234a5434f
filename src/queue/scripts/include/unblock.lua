-- include parked.lua

-- Ends the delivery that blocks the object: the first one parked behind it moves to `again` and blocks the object.
-- Does nothing if another delivery blocks the object. Returns nothing.
local function unblock(blocked, parked, held, again, object, id)
  if redis.call('HGET', blocked, object) ~= id then return end
  local next = firstParked(parked, object, 1)[1]
  if next then
    redis.call('HSET', blocked, object, unpark(parked, held, again, next))
  else
    redis.call('HDEL', blocked, object)
  end
end
