-- Moves a delayed or parked delivery to `again`, if its content is there. Returns nothing.
local function moveToAgain(held, again, id)
  local content = redis.call('HGET', held, id)
  if content then redis.call('XADD', again, '*', 'd', content) end
  redis.call('HDEL', held, id)
end
