-- Returns the id of the last entry of a page of a stream, then the ids of the deliveries in the page; nothing at the end.
local stream = KEYS[1]
-- `after`: '-', or '(' and the id of an entry.
local after, count = unpack(ARGV)

-- include ../include/head-of.lua

local page = redis.call('XRANGE', stream, after, '+', 'COUNT', count)
if #page == 0 then return {} end
local ids = { page[#page][1] }
for i, entry in ipairs(page) do ids[i + 1] = headOf(entry[2][2]).id end
return ids
