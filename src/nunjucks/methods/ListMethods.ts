/** The methods of lists that templates may call. Those that take a function are left out. */
import { Fault, limitFault } from "../../jinja/runtime/Fault.ts"
import type { Run, List, Value } from "../value/Values.ts"
import { joined, numberOf, text } from "../value/Operators.ts"

type ListMethod = (run: Run, self: List, ...args: ReadonlyArray<Value>) => Value

/** Memory of one element. */
const elementChars = 8

const made = (run: Run, list: List): List => {
  run.alloc(list.length * elementChars)
  return list
}

const given = (run: Run, value: Value): number | undefined => (value === undefined ? undefined : numberOf(run, value))

/** Comparing texts may read each of them whole. */
const search = (run: Run, self: List, wanted: Value): void =>
  run.tick(self.length * (typeof wanted === "string" ? 1 + (wanted.length >> 6) : 1))

const flat = (run: Run, list: List, levels: number, depth = 0): List => {
  if (depth > run.limits.valueDepth) throw limitFault("depth")
  const result: List = []
  for (const item of list) {
    const items = Array.isArray(item) && levels >= 1 ? flat(run, item, levels - 1, depth + 1) : [item]
    run.alloc(items.length * elementChars)
    for (const each of items) result.push(each)
  }
  return result
}

const sortedByText = (run: Run, self: List): List => {
  const keyed = self.map((item) => ({ item, key: item === undefined ? undefined : text(run, item) }))
  keyed.sort(({ key: a }, { key: b }) => {
    run.tick(1 + ((a ?? "").length >> 6))
    if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1
    return a < b ? -1 : a > b ? 1 : 0
  })
  keyed.forEach(({ item }, at) => {
    self[at] = item
  })
  return self
}

export const listMethods: ReadonlyMap<string, ListMethod> = new Map<string, ListMethod>([
  ["at", (run, self, index) => self.at(numberOf(run, index))],
  ["concat", (run, self, ...others) => made(run, self.concat(...others))],
  ["flat", (run, self, levels) => flat(run, self, given(run, levels) ?? 1)],
  [
    "includes",
    (run, self, wanted) => {
      search(run, self, wanted)
      return self.includes(wanted)
    }
  ],
  [
    "indexOf",
    (run, self, wanted, from) => {
      search(run, self, wanted)
      return self.indexOf(wanted, given(run, from))
    }
  ],
  [
    "lastIndexOf",
    (run, self, wanted) => {
      search(run, self, wanted)
      return self.lastIndexOf(wanted)
    }
  ],
  ["join", (run, self, separator) => joined(run, self, separator === undefined ? "," : text(run, separator))],
  ["pop", (_run, self) => self.pop()],
  [
    "push",
    (run, self, ...items) => {
      run.alloc(items.length * elementChars)
      return self.push(...items)
    }
  ],
  [
    "reverse",
    (run, self) => {
      run.tick(self.length >> 4)
      // In place, as a template expects.
      // oxlint-disable-next-line unicorn/no-array-reverse
      return self.reverse()
    }
  ],
  [
    "shift",
    (run, self) => {
      run.tick(self.length >> 4)
      return self.shift()
    }
  ],
  ["slice", (run, self, from, to) => made(run, self.slice(given(run, from), given(run, to)))],
  [
    "sort",
    (run, self, by) => {
      if (by !== undefined) throw new Fault("Value", "sort takes no function: use the filter sort")
      return sortedByText(run, self)
    }
  ],
  [
    "splice",
    (run, self, ...args) => {
      run.alloc((self.length + args.length) * elementChars)
      const [from, count, ...items] = args
      if (args.length === 0) return []
      return args.length === 1
        ? self.splice(numberOf(run, from))
        : self.splice(numberOf(run, from), numberOf(run, count), ...items)
    }
  ],
  [
    "unshift",
    (run, self, ...items) => {
      run.alloc((self.length + items.length) * elementChars)
      return self.unshift(...items)
    }
  ]
])
