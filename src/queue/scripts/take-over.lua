-- Moves the keys of a webhook from their former names to those of today. Where a name of today is in use already, the
-- former keys are deleted: the deliveries that they alone hold are queued again from the logs.
-- Returns how many former keys there were.
-- The former names, then the names of today in the same order.
local keys = KEYS

local count = #keys / 2

local function isUsed(key)
  if redis.call('TYPE', key).ok ~= 'stream' then return redis.call('EXISTS', key) == 1 end
  -- A reader makes empty streams.
  local info = redis.call('XINFO', 'STREAM', key)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then return info[i + 1] ~= '0-0' end
  end
end

local isAnyUsed = false
for i = 1, count do isAnyUsed = isAnyUsed or isUsed(keys[count + i]) end
local found = 0
for i = 1, count do
  if redis.call('EXISTS', keys[i]) == 1 then
    found = found + 1
    if isAnyUsed then redis.call('UNLINK', keys[i]) else redis.call('RENAME', keys[i], keys[count + i]) end
  end
end
return found
