-- include head-of.lua
-- include object-of.lua

-- Returns true if the delivery may go out: it then blocks its object, or did so before. Parks it if another delivery
-- blocks the object. `unattempted` (or false) notes parked deliveries that left the queue without an attempt.
local function blockOrPark(blocked, parked, held, content, unattempted)
  local head = headOf(content)
  local object = objectOf(head)
  local blocker = redis.call('HGET', blocked, object)
  if not blocker or blocker == head.id then
    redis.call('HSET', blocked, object, head.id)
    return true
  end
  local position = string.rep('0', 20 - #head.position) .. head.position
  local place = position .. string.format('-%010.0f', head.idx) .. '|' .. head.id
  redis.call('ZADD', parked, 0, object .. '|' .. place)
  if unattempted then redis.call('ZADD', unattempted, 0, place) end
  redis.call('HSET', held, head.id, content)
  return false
end
