-- Moves the keys of a webhook from their former names to those of today. Where a name of today is in use already,
-- processes have written under the former names since: the deliveries that wait there are added to those of today.
-- Returns how many former keys there were.
-- The former names, then the names of today in the same order.
local keys = KEYS
local group = ARGV[1]
-- Most deliveries that are added: Redis does nothing else meanwhile. More are queued again from the delivery log.
local addedMax = 5000

-- include include/now.lua
-- include include/block-or-park.lua

local nameCount = #keys / 2
local former, today = {}, {}
for i = 1, nameCount do
  local name = string.match(keys[i], '[^:]*$')
  former[name], today[name] = keys[i], keys[nameCount + i]
end

local function isUsed(key)
  if redis.call('TYPE', key).ok ~= 'stream' then return redis.call('EXISTS', key) == 1 end
  -- A reader makes empty streams.
  local info = redis.call('XINFO', 'STREAM', key)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then return info[i + 1] ~= '0-0' end
  end
end

-- Adds a delivery that was delayed or parked; one that is delayed or parked today stays as it is.
local function addHeld(id, content, due, isOrdered)
  if redis.call('HEXISTS', today.held, id) == 1 then return end
  if isOrdered and not blockOrPark(today.blocked, today.parked, today.held, content) then return end
  redis.call('HSET', today.held, id, content)
  redis.call('ZADD', today.later, due, id)
end

-- Adds the entries that no process has read: an attempt under way ends under the names of today.
local function addUnread(name)
  for _, entry in ipairs(redis.call('XRANGE', former[name], '-', '+', 'COUNT', addedMax)) do
    local pending = redis.pcall('XPENDING', former[name], group, entry[1], entry[1], 1)
    if pending.err or #pending == 0 then redis.call('XADD', today[name], '*', unpack(entry[2])) end
  end
end

local isAnyUsed = false
for i = 1, nameCount do isAnyUsed = isAnyUsed or isUsed(keys[nameCount + i]) end
if isAnyUsed then
  local isOrdered, now = redis.call('EXISTS', former.blocked) == 1, nowMillis()
  local count = redis.call('ZCARD', former.later) + redis.call('ZCARD', former.parked)
  local held = count <= addedMax and redis.call('HGETALL', former.held) or {}
  for i = 1, #held, 2 do
    addHeld(held[i], held[i + 1], redis.call('ZSCORE', former.later, held[i]) or now, isOrdered)
  end
  addUnread('urgent')
  addUnread('again')
end
local found = 0
for i = 1, nameCount do
  if redis.call('EXISTS', keys[i]) == 1 then
    found = found + 1
    if isAnyUsed then redis.call('UNLINK', keys[i]) else redis.call('RENAME', keys[i], keys[nameCount + i]) end
  end
end
return found
