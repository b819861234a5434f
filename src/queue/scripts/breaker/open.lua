-- Opens the circuit breaker, or keeps it open for longer, and ends the probe.
-- Returns for how many milliseconds it is open.
local breaker, probe = unpack(KEYS)
-- `keptMillis`: for how long the breaker is remembered after it may be probed.
local openMillis, openings, keptMillis = unpack(ARGV)

-- include ../include/now.lua

local now = nowMillis()
local known = redis.call('HMGET', breaker, 'until', 'openings')
local till = math.max(tonumber(known[1] or '0'), now + openMillis)
local most = math.max(tonumber(known[2] or '0'), openings)
redis.call('HSET', breaker, 'until', string.format('%.0f', till), 'openings', most)
redis.call('PEXPIRE', breaker, string.format('%.0f', till - now + keptMillis))
redis.call('UNLINK', probe)
return till - now
