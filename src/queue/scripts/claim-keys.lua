-- Leases the keys to a server of Postgres, unless another one that is on no older timeline leases them.
-- Returns whether they are leased to it (1), and the place of the other server that has or had the lease, '' for none.
local owner = KEYS[1]
local timeline, started, place, process, leaseMillis = unpack(ARGV)

-- include include/now.lua

local now = nowMillis()
local found = redis.call('HMGET', owner, 'timeline', 'started', 'place', 'process', 'until')
local isOurs = not found[1] or found[2] == started or found[3] == place or found[4] == process
local isNewer = found[1] and tonumber(found[1]) < tonumber(timeline)
if not isOurs and not isNewer and tonumber(found[5]) > now then return { 0, found[3] } end
local untilMillis = string.format('%.0f', now + leaseMillis)
redis.call('HSET', owner, 'timeline', timeline, 'started', started, 'place', place, 'process', process, 'until', untilMillis)
return { 1, not isOurs and not isNewer and found[3] or '' }
