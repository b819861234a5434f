/** The methods of texts that templates may call: JavaScript's own, which get primitives only and are paid in advance. */
import { Fault } from "../../jinja/runtime/Fault.ts"
import { Pattern } from "../runtime/Pattern.ts"
import type { Run, Value } from "../value/Values.ts"
import { numberOf, primitive, text } from "../value/Operators.ts"

type TextMethod = (run: Run, self: string, ...args: ReadonlyArray<Value>) => Value

/** Methods whose result is no longer than the text, and which take texts and numbers. */
const plain = [
  "at",
  "charAt",
  "charCodeAt",
  "codePointAt",
  "endsWith",
  "includes",
  "indexOf",
  "lastIndexOf",
  "localeCompare",
  "slice",
  "startsWith",
  "substr",
  "substring",
  "toLowerCase",
  "toUpperCase",
  "trim",
  "trimEnd",
  "trimStart"
] as const

const passed =
  (name: (typeof plain)[number]): TextMethod =>
  (run, self, ...args) => {
    run.tick(1 + (self.length >> 6))
    const own = String.prototype[name] as (...args: ReadonlyArray<unknown>) => string | number | boolean | undefined
    const result = own.apply(
      self,
      args.map((arg) => primitive(run, arg))
    )
    if (typeof result === "string") run.alloc(result.length)
    return result
  }

const padded =
  (name: "padStart" | "padEnd"): TextMethod =>
  (run, self, length, filling) => {
    const chars = numberOf(run, length)
    run.alloc(Math.max(self.length, chars) || 0)
    return self[name](chars, filling === undefined ? undefined : text(run, filling))
  }

const repeat: TextMethod = (run, self, count) => {
  const times = Math.trunc(numberOf(run, count)) || 0
  if (times < 0) throw new Fault("Value", `a text cannot be repeated ${times} times`)
  run.alloc(self === "" ? 0 : self.length * times)
  return self.repeat(Math.min(times, run.limits.memoryChars))
}

const concat: TextMethod = (run, self, ...others) => {
  let all = self
  for (const other of others) {
    all += text(run, other)
    run.alloc(all.length)
  }
  return all
}

const replacing =
  (everywhere: boolean): TextMethod =>
  (run, self, wanted, by) => {
    const replacement = text(run, by)
    if (wanted instanceof Pattern) return wanted.replaced(run, self, replacement)
    const old = text(run, wanted)
    let times = 1
    if (everywhere) times = old === "" ? self.length + 1 : countOf(run, self, old)
    // `$&` and the like insert parts of the text.
    const references = replacement.split("$").length - 1
    run.alloc(self.length + times * (replacement.length + references * self.length))
    return everywhere ? self.replaceAll(old, replacement) : self.replace(old, replacement)
  }

const countOf = (run: Run, self: string, old: string): number => {
  let times = 0
  run.tick(1 + (self.length >> 6))
  for (let at = self.indexOf(old); at >= 0; at = self.indexOf(old, at + old.length)) {
    run.tick(1)
    times++
  }
  return times
}

const split: TextMethod = (run, self, separator, limit) => {
  const most = limit === undefined ? undefined : numberOf(run, limit)
  const parts =
    separator instanceof Pattern
      ? separator.split(run, self).slice(0, most)
      : self.split(separator === undefined ? (undefined as unknown as string) : text(run, separator), most)
  run.alloc(self.length + parts.length * 8)
  return parts
}

const match: TextMethod = (run, self, wanted) => {
  if (wanted instanceof Pattern) return wanted.match(run, self)
  throw new Fault("Value", "match takes a regular expression: r/…/")
}

const search: TextMethod = (run, self, wanted) => {
  if (wanted instanceof Pattern) return wanted.search(run, self)
  throw new Fault("Value", "search takes a regular expression: r/…/")
}

export const textMethods: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ...plain.map((name): [string, TextMethod] => [name, passed(name)]),
  ["concat", concat],
  ["match", match],
  ["padEnd", padded("padEnd")],
  ["padStart", padded("padStart")],
  ["repeat", repeat],
  ["replace", replacing(false)],
  ["replaceAll", replacing(true)],
  ["search", search],
  ["split", split]
])
