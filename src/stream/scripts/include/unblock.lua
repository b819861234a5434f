-- Ends the delivery that blocks the object: the first one parked behind it moves to `again` and blocks the object.
-- Does nothing if another delivery blocks the object. Returns nothing.
local function unblock(blocked, parked, held, again, object, id)
  if redis.call('HGET', blocked, object) ~= id then return end
  -- '|' ends the object in a member, and '}' is the character after it.
  local next = redis.call('ZRANGEBYLEX', parked, '[' .. object .. '|', '(' .. object .. '}', 'LIMIT', 0, 1)[1]
  if not next then
    redis.call('HDEL', blocked, object)
    return
  end
  local nextId = string.match(next, '|([^|]*)$')
  local content = redis.call('HGET', held, nextId)
  redis.call('ZREM', parked, next)
  redis.call('HDEL', held, nextId)
  redis.call('HSET', blocked, object, nextId)
  if content then redis.call('XADD', again, '*', 'd', content) end
end
