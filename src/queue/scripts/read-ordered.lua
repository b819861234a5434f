-- Reads entries of which no two are of one object, and parks those whose object is blocked. Together: what follows a read
-- entry in its object is read too, in that order, also if it was parked.
-- Returns the entries, each as stream (1 urgent, 2 again, 3 queue), id and content, and how many entries were read in all.
local urgent, again, queue, blocked, parked, held, unattempted = unpack(KEYS)
local group, consumer = unpack(ARGV, 1, 2)
-- `scannedMax`: Redis does nothing else while entries are read. `streamCount`: so many streams are read, from the first on.
local wanted, scannedMax, isTogether, streamCount = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1', tonumber(ARGV[6])

-- include include/block-or-park.lua
-- include include/parked.lua

local scanned, found = 0, {}
-- Together: the objects of the entries found.
local objects, isFound = {}, {}

local function read(key, count)
  local reply = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, 'STREAMS', key, '>')
  local entries = reply and reply[1] and reply[1][2] or {}
  scanned = scanned + #entries
  return entries
end

local function mayGo(stream, content)
  if not isTogether then return blockOrPark(blocked, parked, held, content, stream == 3 and unattempted) end
  local object = objectOf(headOf(content))
  local isNext = isFound[object] and #firstParked(parked, object, 1) == 0
  if not isNext and not blockOrPark(blocked, parked, held, content, stream == 3 and unattempted) then return false end
  if not isFound[object] then table.insert(objects, object) end
  isFound[object] = true
  return true
end

for stream, key in ipairs({ urgent, again, queue }) do
  local more = stream <= streamCount
  while more and #found < wanted and scanned < scannedMax do
    local entries = read(key, wanted - #found)
    more = #entries > 0
    for _, entry in ipairs(entries) do
      local entryId, content = entry[1], entry[2][2]
      if mayGo(stream, content) then
        found[#found + 1] = { stream, entryId, content }
      else
        redis.call('XACK', key, group, entryId)
        redis.call('XDEL', key, entryId)
      end
    end
  end
end

-- While there is room, `again` has been read to its end: what is moved to it is what is read next.
for _, object in ipairs(objects) do
  local room = math.min(wanted - #found, scannedMax - scanned)
  if room <= 0 then break end
  local followers = firstParked(parked, object, room)
  for _, member in ipairs(followers) do
    unpark(parked, held, again, member)
  end
  for _, entry in ipairs(#followers > 0 and read(again, #followers) or {}) do
    found[#found + 1] = { 2, entry[1], entry[2][2] }
  end
end
return { found, scanned }
