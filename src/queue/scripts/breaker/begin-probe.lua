-- Lets one consumer probe a receiver whose circuit breaker may be probed.
-- Returns 0 if that is this consumer, else in how many milliseconds to ask again.
local breaker, probe = unpack(KEYS)
local consumer, probeMillis = unpack(ARGV)

-- include ../include/now.lua

local now = nowMillis()
local till = tonumber(redis.call('HGET', breaker, 'until') or '0')
if till > now then return till - now end
if redis.call('SET', probe, consumer, 'NX', 'PX', probeMillis) then return 0 end
if redis.call('GET', probe) == consumer then return 0 end
return math.max(redis.call('PTTL', probe), 1)
