-- Sets for how long the consumer has not been heard of, for those of the entries that it may still end.
-- Returns the ids of the others, and the ids of those among them that another consumer leases.
local stream = KEYS[1]
-- Then the ids of the entries.
local group, consumer, idleMillis = unpack(ARGV, 1, 3)
local firstEntry = 4

-- include include/owns.lua

local lost = {}
local taken = {}
for i = firstEntry, #ARGV do
  if owns(stream, group, consumer, ARGV[i], false) then
    redis.pcall('XCLAIM', stream, group, consumer, 0, ARGV[i], 'IDLE', idleMillis, 'JUSTID')
  else
    lost[#lost + 1] = ARGV[i]
    local pending = redis.pcall('XPENDING', stream, group, ARGV[i], ARGV[i], 1)
    if not pending.err and pending[1] then taken[#taken + 1] = ARGV[i] end
  end
end
return { lost, taken }
