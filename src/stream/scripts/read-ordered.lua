-- Reads entries of which no two are of one object, and parks those whose object is blocked.
-- Returns the entries, each as stream (1 again, 2 queue), id and content, and how many entries were read in all.
local again, queue, blocked, parked, held, unattempted = unpack(KEYS)
local group, consumer = unpack(ARGV, 1, 2)
-- `scannedMax`: Redis does nothing else while entries are read.
local wanted, scannedMax = tonumber(ARGV[3]), tonumber(ARGV[4])

-- include include/block-or-park.lua

local scanned, found = 0, {}
local function findOrPark(stream, key, entryId, content)
  if blockOrPark(blocked, parked, held, content, stream == 2 and unattempted) then
    found[#found + 1] = { stream, entryId, content }
    return
  end
  redis.call('XACK', key, group, entryId)
  redis.call('XDEL', key, entryId)
end

for stream, key in ipairs({ again, queue }) do
  local more = true
  while more and #found < wanted and scanned < scannedMax do
    local count = wanted - #found
    local reply = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, 'STREAMS', key, '>')
    more = reply and #reply > 0
    for _, entry in ipairs(more and reply[1][2] or {}) do
      scanned = scanned + 1
      findOrPark(stream, key, entry[1], entry[2][2])
    end
  end
end
return { found, scanned }
