-- Returns the first line of an entry's content: the delivery without its body.
local function headOf(content) return cjson.decode(string.match(content, '^[^\n]*')) end
