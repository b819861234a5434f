-- Returns up to `count` of the members of `parked` that wait behind the object's blocker, in their order.
-- '|' ends the object in a member, and '}' is the character after it.
local function firstParked(parked, object, count)
  return redis.call('ZRANGEBYLEX', parked, '[' .. object .. '|', '(' .. object .. '}', 'LIMIT', 0, count)
end

-- Moves a parked delivery to `again`; returns its id.
local function unpark(parked, held, again, member)
  local id = string.match(member, '|([^|]*)$')
  local content = redis.call('HGET', held, id)
  redis.call('ZREM', parked, member)
  redis.call('HDEL', held, id)
  if content then redis.call('XADD', again, '*', 'd', content) end
  return id
end
