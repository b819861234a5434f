-- Removes deliveries that are delayed, parked, or in the stream `due` (`again`, `urgent` or `queue`) with no consumer working on them, and
-- unblocks their objects.
-- Returns nothing.
local later, held, blocked, parked, again, unattempted, due = unpack(KEYS)
-- Then for each delivery its id, its object, and if it is in `due` its entry and its place (else '').
local group, leaseMillis = unpack(ARGV, 1, 2)
local firstDelivery = 3

-- include include/parked.lua
-- include include/unblock.lua
-- include include/leases.lua

local function removeParked(object, id)
  for _, member in ipairs(firstParked(parked, object, -1)) do
    if string.match(member, '|([^|]*)$') == id then
      redis.call('ZREM', parked, member)
      redis.call('ZREM', unattempted, string.sub(member, #object + 2))
      redis.call('HDEL', held, id)
    end
  end
end

for i = firstDelivery, #ARGV, 4 do
  local id, object, entryId, place = unpack(ARGV, i, i + 3)
  local isDropped
  if entryId == '' then
    isDropped = redis.call('ZREM', later, id) == 1
    if isDropped then redis.call('HDEL', held, id) else removeParked(object, id) end
  else
    isDropped = deleteUnleased(due, group, entryId, leaseMillis)
    if isDropped then redis.call('ZREM', unattempted, place) end
  end
  if isDropped then unblock(blocked, parked, held, again, object, id) end
end
