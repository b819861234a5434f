-- Returns what one webhook has in Redis: how many deliveries are queued, pending and waiting, in how many milliseconds
-- the next is due (or -1), whether entries are stranded (1): nobody holds them, and the group has read past them; how
-- many deliveries left the queue without an attempt; how many of the queued ones were read and have no lease; and the id
-- of the first entry of the queue, or ''.
-- Deletes consumers that hold nothing and were not heard of for long: every process is one, so they would pile up.
local urgent, again, queue, later, parked, unattempted = unpack(KEYS)
local group = ARGV[1]
local goneMillis, leaseMillis = tonumber(ARGV[2]), ARGV[3]

-- include ../include/now.lua
-- include ../include/leases.lua

local function field(info, name)
  for i = 1, #info, 2 do
    if info[i] == name then return info[i + 1] end
  end
end

local entries, pending, unleased, stranded = 0, 0, 0, 0
for _, stream in ipairs({ urgent, again, queue }) do
  entries = entries + redis.call('XLEN', stream)
  local summary = redis.pcall('XPENDING', stream, group)
  if not summary.err then
    pending = pending + summary[1]
    unleased = unleased + countUnleased(stream, group, leaseMillis)
    local last = field(redis.call('XINFO', 'STREAM', stream), 'last-generated-id')
    local read = field(redis.call('XINFO', 'GROUPS', stream)[1], 'last-delivered-id')
    if read == last and redis.call('XLEN', stream) > summary[1] then stranded = 1 end
    for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
      if field(info, 'pending') == 0 and field(info, 'idle') > goneMillis then
        redis.call('XGROUP', 'DELCONSUMER', stream, group, field(info, 'name'))
      end
    end
  end
end
local first = redis.call('XRANGE', queue, '-', '+', 'COUNT', 1)[1]
local next = redis.call('ZRANGE', later, 0, 0, 'WITHSCORES')
return {
  entries + redis.call('ZCARD', parked) - pending + unleased,
  pending - unleased,
  redis.call('ZCARD', later),
  next[2] and math.max(next[2] - nowMillis(), 0) or -1,
  stranded,
  redis.call('ZCARD', unattempted),
  unleased,
  first and first[1] or ''
}
