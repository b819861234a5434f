-- Returns whether the consumer may still end the entry: it holds the entry, or nobody does since the group was lost.
-- Returns 'lost' for an entry that is gone within the consumer's lease: nobody else can have ended it, so Redis lost
-- it, and what the consumer knows of it is still true. After the lease another consumer has ended it.
local function owns(stream, group, consumer, entryId, withinLease)
  local pending = redis.pcall('XPENDING', stream, group, entryId, entryId, 1)
  if not pending.err and pending[1] then return pending[1][2] == consumer end
  return #redis.call('XRANGE', stream, entryId, entryId) > 0 or withinLease and 'lost'
end
