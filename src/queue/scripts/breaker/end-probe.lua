-- Lets another consumer probe, if this one may. Returns nothing.
local probe = KEYS[1]
local consumer = ARGV[1]

if redis.call('GET', probe) == consumer then redis.call('UNLINK', probe) end
