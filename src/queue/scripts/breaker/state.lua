-- Returns for how many milliseconds the circuit breaker is open, and how often it opened; both 0 if it is closed.
local breaker = KEYS[1]

-- include ../include/now.lua

local known = redis.call('HMGET', breaker, 'until', 'openings')
return { math.max(tonumber(known[1] or '0') - nowMillis(), 0), tonumber(known[2] or '0') }
