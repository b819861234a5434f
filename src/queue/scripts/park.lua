-- Parks entries of the consumer whose object another delivery blocks, in place of holding them.
-- Returns the numbers (from 1) of those that were parked.
local urgent, again, queue, blocked, parked, held, unattempted = unpack(KEYS)
-- Then of each entry its stream (1 urgent, 2 again, 3 queue), its id, its content, and whether the consumer's lease holds.
local group, consumer = unpack(ARGV, 1, 2)
local firstEntry = 3

-- include include/owns.lua
-- include include/block-or-park.lua

local streams, gone = { urgent, again, queue }, {}
for i = firstEntry, #ARGV, 4 do
  local stream, entryId, content, withinLease = tonumber(ARGV[i]), unpack(ARGV, i + 1, i + 3)
  local key = streams[stream]
  if
    owns(key, group, consumer, entryId, withinLease == '1')
    and not blockOrPark(blocked, parked, held, content, stream == 3 and unattempted)
  then
    redis.call('XACK', key, group, entryId)
    redis.call('XDEL', key, entryId)
    gone[#gone + 1] = (i - firstEntry) / 4 + 1
  end
end
return gone
