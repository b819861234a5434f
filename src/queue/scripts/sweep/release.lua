-- Releases parked deliveries whose object no delivery blocks: the first of each object moves to `again` and blocks it.
-- Returns the last member that was looked at ('' at the end), and how many were released.
local parked, blocked, held, again = unpack(KEYS)
-- `after`: '-', or '(' and a member.
local after, count = unpack(ARGV)

local released, last = 0, ''
for _, member in ipairs(redis.call('ZRANGEBYLEX', parked, after, '+', 'LIMIT', 0, count)) do
  last = member
  local object, id = string.match(member, '^([^|]*)|.*|([^|]*)$')
  if redis.call('HEXISTS', blocked, object) == 0 then
    redis.call('HSET', blocked, object, id)
    local content = redis.call('HGET', held, id)
    -- Without its content it stays where it is, until the log has brought it again.
    if content then
      redis.call('XADD', again, '*', 'd', content)
      redis.call('ZREM', parked, member)
      redis.call('HDEL', held, id)
      released = released + 1
    end
  end
end
return { last, released }
