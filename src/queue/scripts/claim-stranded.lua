-- Claims entries that nobody holds although the group has read past them, and returns them.
-- Redis 7 brings that about: it cuts a file that ends within a transaction behind the last whole command, and what is
-- left of the transaction takes place at the next start.
local stream = KEYS[1]
local group, consumer, count = unpack(ARGV)

-- Fails with NOGROUP if there is no group.
redis.call('XPENDING', stream, group)
local lastRead
local info = redis.call('XINFO', 'GROUPS', stream)[1]
for i = 1, #info, 2 do
  if info[i] == 'last-delivered-id' then lastRead = info[i + 1] end
end
local claimed = {}
for _, entry in ipairs(redis.call('XRANGE', stream, '-', lastRead, 'COUNT', count)) do
  if #redis.call('XPENDING', stream, group, entry[1], entry[1], 1) == 0 then
    redis.call('XCLAIM', stream, group, consumer, 0, entry[1], 'FORCE', 'JUSTID')
    claimed[#claimed + 1] = entry
  end
end
return claimed
