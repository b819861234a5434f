-- Returns whether a consumer works on the entry: it read the entry, and its lease has not ended. Without a lease it has
-- handed the entry back, or it is gone.
local function isLeased(stream, group, entryId, leaseMillis)
  local pending = redis.pcall('XPENDING', stream, group, entryId, entryId, 1)
  return not pending.err and #pending > 0 and pending[1][3] < tonumber(leaseMillis)
end

-- Deletes the entry, unless a consumer works on it. Returns whether it was there and is deleted.
local function deleteUnleased(stream, group, entryId, leaseMillis)
  if isLeased(stream, group, entryId, leaseMillis) then return false end
  redis.pcall('XACK', stream, group, entryId)
  return redis.call('XDEL', stream, entryId) == 1
end

-- Most entries without a lease that are counted in one stream: Redis does nothing else meanwhile.
local unleasedMax = 5000

-- Returns how many entries of the stream were read and have no lease.
local function countUnleased(stream, group, leaseMillis)
  local pending = redis.pcall('XPENDING', stream, group, 'IDLE', leaseMillis, '-', '+', unleasedMax)
  return pending.err and 0 or #pending
end
