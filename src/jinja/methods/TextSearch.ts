/** Methods of str that search: find, count, replace, split, partition, prefixes. */
import { Fault, typeFault, valueFault } from "../runtime/Fault.ts"
import { methodsOn } from "../runtime/Native.ts"
import type { Native, Runtime, Value } from "../value/Value.ts"
import { asInteger, asText, integerOr } from "../value/Arguments.ts"
import { elementsOf } from "../value/Iterate.ts"
import { characterChars, characters, find, isSpaceAt, lengthOf, sliceText } from "../text/Text.ts"
import { Tuple, isText, plain, typeName } from "../value/Values.ts"

const method = methodsOn<string>()

/** `text[start:end]` and the number of characters before it; undefined if start is after end. */
const window = (
  source: string,
  start: Value | undefined,
  end: Value | undefined
): { readonly text: string; readonly offset: number } | undefined => {
  const length = lengthOf(source)
  const clip = (bound: Value | undefined, absent: number) => {
    if (bound === undefined || bound === null) return absent
    const index = asInteger(bound)
    return index < 0 ? Math.max(0, index + length) : index
  }
  const from = clip(start, 0)
  const to = Math.min(clip(end, length), length)
  if (from > to) return undefined
  return { text: sliceText(source, from, to), offset: from }
}

/** Position of the needle in characters, searched from the left or the right; -1 if there is none. */
const position = (
  runtime: Runtime,
  self: string,
  needle: Value,
  start: Value | undefined,
  end: Value | undefined,
  right: boolean
): number => {
  const wanted = asText(needle, "must be str")
  const part = window(self, start, end)
  if (part === undefined) return -1
  const first = find(runtime, part.text, wanted)
  const found = first < 0 || !right ? first : part.text.lastIndexOf(wanted)
  return found < 0 ? -1 : part.offset + lengthOf(part.text.slice(0, found))
}

const found = (at: number): number => {
  if (at < 0) throw valueFault("substring not found")
  return at
}

/** `self.count(needle)`: the number of occurrences that do not overlap. */
const count = (runtime: Runtime, source: string, needle: string): number => {
  if (needle === "") return lengthOf(source) + 1
  let times = 0
  for (let at = find(runtime, source, needle); at >= 0; at = find(runtime, source, needle, at + needle.length)) {
    times++
  }
  return times
}

/** `source.replace(old, new, limit)`; a negative limit replaces all. */
export const replace = (runtime: Runtime, source: string, old: string, by: string, limit: number): string => {
  const most = limit < 0 ? Infinity : limit
  if (old === "") return insertBetween(runtime, source, by, most)
  let all = ""
  let from = 0
  for (let times = 0; times < most; times++) {
    const at = find(runtime, source, old, from)
    if (at < 0) break
    runtime.alloc(at - from + by.length)
    all += source.slice(from, at) + by
    from = at + old.length
  }
  runtime.alloc(source.length - from)
  return all + source.slice(from)
}

const insertBetween = (runtime: Runtime, source: string, by: string, most: number): string => {
  let all = ""
  let times = 0
  runtime.alloc(source.length * characterChars)
  for (const character of [...characters(source), ""]) {
    if (times++ < most) {
      runtime.alloc(by.length)
      all += by
    }
    all += character
  }
  return all
}

/** `source.split(separator, limit)`, or `rsplit` if `right`. */
const split = (
  runtime: Runtime,
  source: string,
  separator: Value | undefined,
  maxsplit: Value | undefined,
  right: boolean
): Array<string> => {
  const limit = integerOr(maxsplit, -1)
  const most = limit < 0 ? Infinity : limit
  // Up to half of the characters are separators, and each part is an element.
  runtime.alloc(source.length * 4)
  if (separator === undefined || separator === null) {
    return right ? splitSpaceRight(runtime, source, most) : splitSpace(runtime, source, most)
  }
  const wanted = asText(separator, "must be str or None")
  if (wanted === "") throw valueFault("empty separator")
  find(runtime, source, wanted)
  const all = source.split(wanted)
  if (all.length - 1 <= most) return all
  return right
    ? [all.slice(0, all.length - most).join(wanted), ...all.slice(all.length - most)]
    : [...all.slice(0, most), all.slice(most).join(wanted)]
}

const splitSpace = (runtime: Runtime, source: string, most: number): Array<string> => {
  const all: Array<string> = []
  let at = 0
  for (;;) {
    while (isSpaceAt(source, at)) at++
    if (at === source.length) return all
    const from = at
    if (all.length === most) at = source.length
    while (at < source.length && !isSpaceAt(source, at)) at++
    runtime.tick(1)
    all.push(source.slice(from, at))
  }
}

const splitSpaceRight = (runtime: Runtime, source: string, most: number): Array<string> => {
  const all: Array<string> = []
  let at = source.length
  for (;;) {
    while (isSpaceAt(source, at - 1)) at--
    if (at === 0) return all.toReversed()
    const to = at
    if (all.length === most) at = 0
    while (at > 0 && !isSpaceAt(source, at - 1)) at--
    runtime.tick(1)
    all.push(source.slice(at, to))
  }
}

/** Whether the text, or any text of a tuple, passes. */
const anyAffix = (name: string, affix: Value, passes: (text: string) => boolean): boolean => {
  if (isText(affix)) return passes(plain(affix))
  if (!(affix instanceof Tuple)) {
    throw typeFault(`${name} first arg must be str or a tuple of str, not ${typeName(affix)}`)
  }
  return affix.items.some((item) => passes(asText(item, `tuple for ${name} must only contain str`)))
}

const cutAt = (self: string, at: number, separator: string): Tuple =>
  new Tuple([self.slice(0, at), separator, self.slice(at + separator.length)])

const separatorOf = (value: Value): string => {
  const separator = asText(value, "must be str")
  if (separator === "") throw valueFault("empty separator")
  return separator
}

/** `separator.join(items)` */
const join = (runtime: Runtime, separator: string, items: ReadonlyArray<Value>): string => {
  let all = ""
  items.forEach((item, index) => {
    if (!isText(item)) throw typeFault(`sequence item ${index}: expected str instance, ${typeName(item)} found`)
    runtime.alloc(plain(item).length + separator.length)
    all += index === 0 ? plain(item) : separator + plain(item)
  })
  return all
}

const iterableOnly = (runtime: Runtime, value: Value): ReadonlyArray<Value> => {
  try {
    return elementsOf(runtime, value)
  } catch (error) {
    if (error instanceof Fault && error.reason === "Type") throw typeFault("can only join an iterable")
    throw error
  }
}

export const searchMethods: ReadonlyArray<Native> = [
  method("find(self, sub, start?, end?, /)", (rt, self, sub, start, end) => position(rt, self, sub, start, end, false)),
  method("rfind(self, sub, start?, end?, /)", (rt, self, sub, start, end) => position(rt, self, sub, start, end, true)),
  method("index(self, sub, start?, end?, /)", (rt, self, sub, start, end) =>
    found(position(rt, self, sub, start, end, false))
  ),
  method("rindex(self, sub, start?, end?, /)", (rt, self, sub, start, end) =>
    found(position(rt, self, sub, start, end, true))
  ),
  method("count(self, sub, start?, end?, /)", (rt, self, sub, start, end) => {
    const wanted = asText(sub, "must be str")
    const part = window(self, start, end)
    return part === undefined ? 0 : count(rt, part.text, wanted)
  }),
  method("startswith(self, prefix, start?, end?, /)", (_rt, self, prefix, start, end) => {
    const part = window(self, start, end)
    return anyAffix("startswith", prefix, (text) => part?.text.startsWith(text) === true)
  }),
  method("endswith(self, suffix, start?, end?, /)", (_rt, self, suffix, start, end) => {
    const part = window(self, start, end)
    return anyAffix("endswith", suffix, (text) => part?.text.endsWith(text) === true)
  }),
  method("removeprefix(self, prefix, /)", (_rt, self, prefix) => {
    const text = asText(prefix, "removeprefix() argument must be str")
    return self.startsWith(text) ? self.slice(text.length) : self
  }),
  method("removesuffix(self, suffix, /)", (_rt, self, suffix) => {
    const text = asText(suffix, "removesuffix() argument must be str")
    return text !== "" && self.endsWith(text) ? self.slice(0, -text.length) : self
  }),
  method("replace(self, old, new, count?, /)", (rt, self, old, by, limit) =>
    replace(
      rt,
      self,
      asText(old, "replace() argument 1 must be str"),
      asText(by, "replace() argument 2 must be str"),
      integerOr(limit, -1)
    )
  ),
  method("split(self, sep?, maxsplit?)", (rt, self, sep, maxsplit) => split(rt, self, sep, maxsplit, false)),
  method("rsplit(self, sep?, maxsplit?)", (rt, self, sep, maxsplit) => split(rt, self, sep, maxsplit, true)),
  method("partition(self, sep, /)", (rt, self, sep) => {
    const separator = separatorOf(sep)
    const at = find(rt, self, separator)
    return at < 0 ? new Tuple([self, "", ""]) : cutAt(self, at, separator)
  }),
  method("rpartition(self, sep, /)", (rt, self, sep) => {
    const separator = separatorOf(sep)
    find(rt, self, separator)
    const at = self.lastIndexOf(separator)
    return at < 0 ? new Tuple(["", "", self]) : cutAt(self, at, separator)
  }),
  method("join(self, iterable, /)", (rt, self, iterable) => join(rt, self, iterableOnly(rt, iterable)))
]
