-- Returns the id of the first entry of the queue and the first place of `unattempted`, each '' if there is none.
local queue, unattempted = unpack(KEYS)

local first = redis.call('XRANGE', queue, '-', '+', 'COUNT', 1)[1]
return { first and first[1] or '', redis.call('ZRANGE', unattempted, 0, 0)[1] or '' }
