-- Queues deliveries in `urgent`, in place of where they wait. Those that a consumer works on, and those that are parked behind
-- another delivery of their object, stay where they are.
-- Returns the numbers (from 1) of those that stay.
local urgent, again, queue, later, held = unpack(KEYS)
-- Then of each delivery its id, its content, the id of its entry in `again` (else ''), and the id that its entry in `queue`
-- would have (else '').
local group, leaseMillis = unpack(ARGV, 1, 2)
local firstDelivery = 3
-- Most entries of `urgent` that are compared: Redis does nothing else meanwhile.
local comparedMax = 200

-- include include/head-of.lua
-- include include/leases.lua

-- After a crash the call is repeated.
local known = {}
for _, entry in ipairs(redis.call('XREVRANGE', urgent, '+', '-', 'COUNT', comparedMax)) do
  known[headOf(entry[2][2]).id] = true
end

-- Takes the delivery from where it waits. Returns false if it stays there.
local function takeOut(id, entryId, queueId)
  if entryId ~= '' then return deleteUnleased(again, group, entryId, leaseMillis) end
  if queueId ~= '' and #redis.call('XRANGE', queue, queueId, queueId) > 0 then
    return deleteUnleased(queue, group, queueId, leaseMillis)
  end
  if redis.call('ZREM', later, id) == 1 then
    redis.call('HDEL', held, id)
    return true
  end
  return redis.call('HEXISTS', held, id) == 0
end

local left = {}
for i = firstDelivery, #ARGV, 4 do
  local id, content, entryId, queueId = unpack(ARGV, i, i + 3)
  if not known[id] then
    if takeOut(id, entryId, queueId) then
      redis.call('XADD', urgent, '*', 'd', content)
    else
      left[#left + 1] = (i - firstDelivery) / 4 + 1
    end
  end
end
return left
