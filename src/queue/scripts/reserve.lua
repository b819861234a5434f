-- Reserves time slots of a rate limit on Redis' clock.
-- Returns in how many microseconds the first slot is; the others follow one after the other.
local pace = KEYS[1]
local count, slotMicros = unpack(ARGV)

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local next = math.max(tonumber(redis.call('GET', pace) or '0'), now)
local after = next + count * slotMicros
redis.call('SET', pace, string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1000)
return next - now
