-- Sets when webhooks are inspected again, or removes their marks; one that was marked anew meanwhile stays as it is.
-- Returns nothing.
local marks = KEYS[1]
-- ARGV: each webhook, the mark that was claimed, and the pause (milliseconds, -1 to remove the mark).

-- include ../include/now.lua

local now = nowMillis()
for i = 1, #ARGV, 3 do
  local webhook, claimed, pause = unpack(ARGV, i, i + 2)
  local mark = redis.call('ZSCORE', marks, webhook)
  if mark and tonumber(mark) == tonumber(claimed) then
    if tonumber(pause) < 0 then
      redis.call('ZREM', marks, webhook)
    else
      redis.call('ZADD', marks, now + pause, webhook)
    end
  end
end
