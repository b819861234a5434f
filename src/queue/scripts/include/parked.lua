-- include move-to-again.lua

-- Returns up to `count` (-1 for all) of the members of `parked` that wait behind the object's blocker, in their order.
-- '|' ends the object in a member, and '}' is the character after it.
local function firstParked(parked, object, count)
  return redis.call('ZRANGEBYLEX', parked, '[' .. object .. '|', '(' .. object .. '}', 'LIMIT', 0, count)
end

-- Moves a parked delivery to `again`; returns its id.
local function unpark(parked, held, again, member)
  local id = string.match(member, '|([^|]*)$')
  redis.call('ZREM', parked, member)
  moveToAgain(held, again, id)
  return id
end
