-- Returns the numbers (from 1) of those deliveries that are neither delayed, nor parked, nor in the queue with content.
-- One may still be in `again` or `urgent`.
local later, held, parked, queue = unpack(KEYS)
-- ARGV: of each delivery its id, its place, and the id of its entry in the queue (else '').

-- include ../include/head-of.lua
-- include ../include/object-of.lua

local function waits(id, place)
  local content = redis.call('HGET', held, id)
  if not content then return false end
  if redis.call('ZSCORE', later, id) then return true end
  local head = headOf(content)
  local object = objectOf(head)
  return redis.call('ZSCORE', parked, object .. '|' .. place)
end

local absent = {}
for i = 1, #ARGV, 3 do
  local id, place, entryId = unpack(ARGV, i, i + 2)
  local isQueued = entryId ~= '' and #redis.call('XRANGE', queue, entryId, entryId) > 0
  if not isQueued and not waits(id, place) then absent[#absent + 1] = (i + 2) / 3 end
end
return absent
