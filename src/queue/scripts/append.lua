-- Adds entries to one webhook's stream, marks the webhook for the sweep and publishes it.
-- Returns how many entries were added and the last id of the stream; 'lost' if its last id is below `least`.
-- Fails with FENCED if a process of a higher generation has appended.
-- A cluster may keep the marks on another node: they are left out then, and nothing is published here.
local stream, notes, marks = unpack(KEYS)
-- `least`: the stream has at least this last id unless it lost entries; '' if nothing is known.
-- `afterwards`: the stream has at least this last id in the end; '' for whatever the entries bring.
-- Then id and content of each entry.
local generation, webhook, least, afterwards, wakeChannel = unpack(ARGV, 1, 5)
local firstEntry = 6

-- Compares ids as texts: they are two numbers of up to 64 bits, too large for Lua's numbers.
local function isBelow(a, b)
  local a1, a2 = string.match(a, '(%d+)-(%d+)')
  local b1, b2 = string.match(b, '(%d+)-(%d+)')
  if a1 == b1 then return #a2 < #b2 or (#a2 == #b2 and a2 < b2) end
  return #a1 < #b1 or (#a1 == #b1 and a1 < b1)
end

-- Returns the id of the last entry that was ever added: a stream remembers it also when it is empty.
local function lastId()
  if redis.call('EXISTS', stream) == 0 then return '0-0' end
  local info = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then return info[i + 1] end
  end
end

local leader = redis.call('HGET', notes, 'generation')
if leader and tonumber(leader) > tonumber(generation) then
  return redis.error_reply('FENCED by generation ' .. leader)
end
local top = lastId()
if least ~= '' and isBelow(top, least) then return 'lost' end
local added = 0
for i = firstEntry, #ARGV, 2 do
  local reply = redis.pcall('XADD', stream, ARGV[i], 'd', ARGV[i + 1])
  if type(reply) == 'table' and reply.err then
    if not string.find(reply.err, 'equal or smaller', 1, true) then return reply end
  else
    added = added + 1
    top = ARGV[i]
  end
end
if afterwards ~= '' and isBelow(top, afterwards) then
  top = afterwards
  redis.call('XADD', stream, top, 'd', '')
  redis.call('XDEL', stream, top)
end
redis.call('HSET', notes, 'generation', generation)
if marks and #ARGV >= firstEntry then
  -- The mark comes first: a process that was woken may finish at once and remove it.
  redis.call('ZADD', marks, 0, webhook)
  -- The user may have no right to publish. The sweep then finds the entries by the mark.
  redis.pcall('PUBLISH', wakeChannel, webhook)
end
return { added, top }
