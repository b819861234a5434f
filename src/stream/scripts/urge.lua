-- Queues deliveries in `urgent`, in place of where they wait. Those that a consumer holds, and those that are parked behind
-- another delivery of their object, stay where they are.
-- Returns the numbers (from 1) of those that stay.
local urgent, again, later, held = unpack(KEYS)
-- Then of each delivery its id, its content, and the id of its entry in `again` (else '').
local group = ARGV[1]
local firstDelivery = 2
-- Most entries of `urgent` that are compared: Redis does nothing else meanwhile.
local comparedMax = 200

-- include include/head-of.lua
-- include include/is-pending.lua

-- After a crash the call is repeated.
local known = {}
for _, entry in ipairs(redis.call('XREVRANGE', urgent, '+', '-', 'COUNT', comparedMax)) do
  known[headOf(entry[2][2]).id] = true
end

-- Takes the delivery from where it waits. Returns false if it stays there.
local function takeOut(id, entryId)
  if entryId ~= '' then return not isPending(again, group, entryId) and redis.call('XDEL', again, entryId) == 1 end
  if redis.call('ZREM', later, id) == 1 then
    redis.call('HDEL', held, id)
    return true
  end
  return redis.call('HEXISTS', held, id) == 0
end

local left = {}
for i = firstDelivery, #ARGV, 3 do
  local id, content, entryId = unpack(ARGV, i, i + 2)
  if not known[id] then
    if takeOut(id, entryId) then
      redis.call('XADD', urgent, '*', 'd', content)
    else
      left[#left + 1] = (i + 1) / 3
    end
  end
end
return left
