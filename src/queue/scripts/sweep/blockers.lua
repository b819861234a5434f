-- Names deliveries that are delayed, due or under way as those that block their objects, where none is named.
-- Returns where the next page begins, or '' at the end.
local source, held, blocked = unpack(KEYS)
-- `from`: a rank of `later`, or for a stream the id of an entry, '-' or '(' and an id.
local kind, from, count, group = unpack(ARGV)

-- include ../include/head-of.lua
-- include ../include/object-of.lua

local function block(content)
  if not content then return end
  local head = headOf(content)
  redis.call('HSETNX', blocked, objectOf(head), head.id)
end

if kind == 'later' then
  local ids = redis.call('ZRANGE', source, from, from + count - 1)
  for _, id in ipairs(ids) do block(redis.call('HGET', held, id)) end
  return #ids < tonumber(count) and '' or string.format('%.0f', from + count)
end
if kind == 'again' or kind == 'urgent' then
  local page = redis.call('XRANGE', source, from, '+', 'COUNT', count)
  for _, entry in ipairs(page) do block(entry[2][2]) end
  return #page == 0 and '' or '(' .. page[#page][1]
end
local pending = redis.pcall('XPENDING', source, group, from, '+', count)
if pending.err or #pending == 0 then return '' end
for _, one in ipairs(pending) do
  local entry = redis.call('XRANGE', source, one[1], one[1])[1]
  if entry then block(entry[2][2]) end
end
return '(' .. pending[#pending][1]
