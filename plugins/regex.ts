/** Regular expressions in linear time (RE2's syntax: no look-around, no back-references). */
import { RE2JS } from "re2js"
import { type Call, type Json, definePlugin } from "#plugin"

/** Longest pattern, characters. */
const patternChars = 1000

/** Most compiled patterns in the cache. */
const kept = 200

const compiled = new Map<string, RE2JS>()

const compile = (call: Call, pattern: Json): RE2JS => {
  if (typeof pattern !== "string") throw new Error("a pattern must be text")
  if (pattern.length > patternChars) throw new Error(`a pattern has at most ${patternChars} characters`)
  const { ignorecase, multiline, dotall } = call.named
  const flags =
    (ignorecase === true ? RE2JS.CASE_INSENSITIVE : 0) |
    (multiline === true ? RE2JS.MULTILINE : 0) |
    (dotall === true ? RE2JS.DOTALL : 0)
  const key = `${flags} ${pattern}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  // A pattern with counted repetitions compiles to a program many times as long.
  call.charge(pattern.length * 4, pattern.length * 100)
  const made = RE2JS.compile(pattern, flags)
  if (compiled.size >= kept) compiled.delete(compiled.keys().next().value!)
  compiled.set(key, made)
  return made
}

/** Charges for the worst case of a scan: the automaton may be in all of its states at each character. */
const scan = (call: Call, pattern: RE2JS, chars: number): void => {
  call.charge(1 + Math.ceil((chars * pattern.programSize()) / 64))
}

const subject = (call: Call, input: Json | undefined): string => {
  const text = typeof input === "string" ? input : String(input ?? "")
  call.charge(1 + (text.length >> 4), text.length)
  return text
}

interface Found {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly groups: ReadonlyArray<string | null>
  readonly names: Readonly<Record<string, string | null>>
}

/**
 * The matches in order. All searches together are charged as one scan of the text. If each search goes on to the end of
 * the text, they cost more, and the time limit ends them.
 */
function* matches(call: Call, pattern: RE2JS, text: string): Generator<Found> {
  const matcher = pattern.matcher(text)
  scan(call, pattern, text.length)
  for (let from = 0; ; from = matcher.end()) {
    call.charge(1 + ((text.length - from) >> 9))
    if (!matcher.find()) return
    const groups = Array.from({ length: matcher.groupCount() }, (_, index) => matcher.group(index + 1))
    const [start, end] = [matcher.start(), matcher.end()]
    call.charge(1, end - start + 16)
    yield { start, end, text: text.slice(start, end), groups, names: matcher.getNamedGroups() }
  }
}

/** As in Python: the whole match without groups, the group if there is one, else a list of all groups. */
const captured = ({ text, groups }: Found): Json => {
  const given = groups.map((group) => group ?? "")
  return given.length === 0 ? text : given.length === 1 ? given[0]! : given
}

/** Replaces Python's `\1` and `\g<name>` by the groups. */
const expand = (by: string, { groups, names, text }: Found): string =>
  by.replace(/\\(?:(\d)|g<(\w+)>|(\\))/g, (whole, index?: string, name?: string) => {
    if (index !== undefined) return index === "0" ? text : (groups[Number(index) - 1] ?? "")
    if (name === undefined) return "\\"
    return Object.hasOwn(names, name) ? (names[name] ?? "") : whole
  })

const replace = (call: Call, input: Json | undefined, pattern: Json, by: Json, count: Json): string => {
  const expression = compile(call, pattern)
  const text = subject(call, input)
  const most = typeof count === "number" && count > 0 ? count : Infinity
  let all = ""
  let from = 0
  let times = 0
  for (const found of matches(call, expression, text)) {
    if (times++ >= most) break
    const filled = expand(String(by), found)
    call.charge(1, filled.length)
    all += text.slice(from, found.start) + filled
    from = found.end
  }
  return all + text.slice(from)
}

const search = (call: Call, input: Json | undefined, pattern: Json): Json => {
  for (const found of matches(call, compile(call, pattern), subject(call, input))) return captured(found)
  return ""
}

const findAll = (call: Call, input: Json | undefined, pattern: Json): Array<Json> =>
  Array.from(matches(call, compile(call, pattern), subject(call, input)), captured)

const split = (call: Call, input: Json | undefined, pattern: Json): Array<Json> => {
  const text = subject(call, input)
  const parts: Array<string> = []
  let from = 0
  for (const { start, end, groups } of matches(call, compile(call, pattern), text)) {
    parts.push(text.slice(from, start), ...groups.map((group) => group ?? ""))
    from = end
  }
  return [...parts, text.slice(from)]
}

const test = (call: Call, input: Json | undefined, pattern: Json, anchored: boolean): boolean => {
  const expression = compile(call, pattern)
  const text = subject(call, input)
  scan(call, expression, text.length)
  const matcher = expression.matcher(text)
  return anchored ? matcher.lookingAt() : matcher.find()
}

export default definePlugin({
  name: "regex",
  description: "Regular expressions in linear time. Keyword arguments: ignorecase, multiline, dotall.",
  filters: {
    regex_replace: (call, input, pattern = "", by = "", count = 0) => replace(call, input, pattern, by, count),
    regex_search: (call, input, pattern = "") => search(call, input, pattern),
    regex_findall: (call, input, pattern = "") => findAll(call, input, pattern),
    regex_split: (call, input, pattern = "") => split(call, input, pattern),
    regex_escape: (call, input) => RE2JS.quote(subject(call, input))
  },
  tests: {
    match: (call, input, pattern = "") => test(call, input, pattern, true),
    search: (call, input, pattern = "") => test(call, input, pattern, false)
  },
  examples: [
    { template: "{{ 'ge-0/0/1'|regex_replace('[^a-z0-9]+', '_') }}", expect: "ge_0_0_1" },
    { template: "{{ 'sw-12.ams'|regex_replace('^(\\\\w+)-(?P<n>\\\\d+)', '\\\\g<n>-\\\\1') }}", expect: "12-sw.ams" },
    { template: "{{ 'aaa'|regex_replace('a', 'b', 2) }} {{ '$1'|regex_replace('1', '$') }}", expect: "bba $$" },
    { template: "{{ 'VLAN 120'|regex_search('\\\\d+') }} {{ 'x'|regex_search('\\\\d+') }}|", expect: "120 |" },
    { template: "{{ 'a=1, b=2'|regex_findall('(\\\\w)=(\\\\d)') }}", expect: "[['a', '1'], ['b', '2']]" },
    { template: "{{ 'a1b22c'|regex_split('\\\\d+') }}", expect: "['a', 'b', 'c']" },
    { template: "{{ 'a.b'|regex_escape }}", expect: "a\\.b" },
    {
      template:
        "{{ 'SW-1' is match('sw', ignorecase=true) }} {{ 'my sw-1' is match('sw') }} {{ 'my sw-1' is search('sw') }}",
      expect: "True False True"
    },
    { template: "{{ ('a' * 50)|regex_replace('(a+)+$', 'x') }}", expect: "x" },
    { template: "{{ 'x'|regex_search('(?=x)') }}", expect: { error: "Plugin" } },
    { template: "{{ 'x'|regex_search('[') }}", expect: { error: "Plugin" } }
  ]
})
