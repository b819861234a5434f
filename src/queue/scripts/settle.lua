-- Ends entries: acknowledges and deletes each, and delays the deliveries that are tried again, on Redis' own clock. A
-- delivery that is done unblocks its object. Entries that another consumer has taken over stay as they are.
-- Returns nothing.
local urgent, again, queue, later, held, blocked, parked, unattempted = unpack(KEYS)
-- Then a JSON list, which Redis reads faster than as many arguments. It holds of each entry: its stream (1 urgent, 2
-- again, 3 queue), its id, its object if order matters (else ''), the delay of its delivery (milliseconds, -1 if it is
-- done), the delivery's id and content, whether the consumer's lease holds, and its place if it may have been parked
-- (else '').
local group, consumer = ARGV[1], ARGV[2]
local entries = cjson.decode(ARGV[3])

-- include include/now.lua
-- include include/owns.lua
-- include include/block-or-park.lua
-- include include/unblock.lua

-- If Redis lost an entry, the log may have brought a copy of its delivery. A delayed copy is done as well, unless
-- somebody asked for it by hand; a copy that was read ends by itself. Returns whether a copy was removed.
local function cancelCopy(id)
  if not redis.call('ZSCORE', later, id) then return false end
  local copy = redis.call('HGET', held, id)
  if copy and headOf(copy).spent == 0 then return false end
  redis.call('ZREM', later, id)
  redis.call('HDEL', held, id)
  return true
end

local now = nowMillis()
local function delayBy(delay, object, id, content, isLost)
  -- A settlement whose reply was lost is repeated: meanwhile the delivery may be done, and another one block its object.
  local blocker = isLost and object ~= '' and redis.call('HGET', blocked, object)
  if blocker and blocker ~= id then return end
  if object ~= '' and not blockOrPark(blocked, parked, held, content) then return end
  redis.call('HSET', held, id, content)
  redis.call('ZADD', later, now + delay, id)
end

local streams, ended = { urgent, again, queue }, { {}, {}, {} }
-- The last first: of one object in a batch, those that are tried again are parked before the first of them unblocks it.
for i = #entries - 7, 1, -8 do
  local stream, entryId, object, delay, id, content, withinLease, place = unpack(entries, i, i + 7)
  local owned = owns(streams[stream], group, consumer, entryId, withinLease)
  if owned then
    if delay >= 0 then
      delayBy(delay, object, id, content, owned == 'lost')
    elseif (cancelCopy(id) or owned ~= 'lost') and object ~= '' then
      unblock(blocked, parked, held, again, object, id)
    end
    if place ~= '' then redis.call('ZREM', unattempted, place) end
    table.insert(ended[stream], entryId)
  end
end
for stream, entryIds in ipairs(ended) do
  if #entryIds > 0 then
    redis.call('XACK', streams[stream], group, unpack(entryIds))
    redis.call('XDEL', streams[stream], unpack(entryIds))
  end
end
