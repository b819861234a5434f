-- Returns whether a consumer holds the entry.
local function isPending(stream, group, entryId)
  local pending = redis.pcall('XPENDING', stream, group, entryId, entryId, 1)
  return not pending.err and #pending > 0
end
