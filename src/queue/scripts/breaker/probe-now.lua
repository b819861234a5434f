-- Lets an open circuit breaker be probed at once. Returns how often it opened; nothing if it is closed.
local breaker = KEYS[1]

if redis.call('EXISTS', breaker) == 0 then return false end
redis.call('HSET', breaker, 'until', 0)
return redis.call('HGET', breaker, 'openings') or 0
