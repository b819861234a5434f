-- Lets an open circuit breaker be probed at once. Returns nothing.
local breaker = KEYS[1]

if redis.call('EXISTS', breaker) == 1 then redis.call('HSET', breaker, 'until', 0) end
