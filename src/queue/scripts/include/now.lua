-- Returns the time on Redis' clock, milliseconds since 1970.
local function nowMillis()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
