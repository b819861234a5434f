-- Returns the object of a delivery, from its head: `dcim.site 5`. Ordered.ts makes the same text.
local function objectOf(head) return head.objectType .. ' ' .. string.format('%.0f', head.objectId) end
