-- Claims the webhooks whose marks are due, if the consumer is the sweeper or becomes it.
-- Returns whether the consumer is the sweeper (1), whether the marks were lost (1), and each webhook with its new mark:
-- the time at which it is due again if the sweep comes to no end.
local marks, sweeper = unpack(KEYS)
local consumer, leaseMillis, count = unpack(ARGV)

-- include ../include/now.lua

local owner = redis.call('GET', sweeper)
if owner and owner ~= consumer then return { 0, 0, {} } end
redis.call('SET', sweeper, consumer, 'PX', leaseMillis)
-- A member that no webhook has and that is never due. Without it the marks are new, or Redis lost them.
local areLost = redis.call('ZADD', marks, 'NX', '+inf', '0')
local now = nowMillis()
local mark = string.format('%.0f', now + leaseMillis)
local claimed = {}
for at, webhook in ipairs(redis.call('ZRANGEBYSCORE', marks, '-inf', now, 'LIMIT', 0, count)) do
  redis.call('ZADD', marks, mark, webhook)
  claimed[at] = { webhook, mark }
end
return { 1, areLost, claimed }
