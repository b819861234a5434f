-- Ends deliveries that block their objects. Returns nothing.
local blocked, parked, held, again = unpack(KEYS)
-- ARGV: each object, and the id of its delivery.

-- include include/unblock.lua

for i = 1, #ARGV, 2 do
  local object, id = unpack(ARGV, i, i + 1)
  unblock(blocked, parked, held, again, object, id)
end
