/** The globals of every template: range, cycler, joiner. */
import { valueFault } from "../../jinja/runtime/Fault.ts"
import { add, less, text } from "../value/Operators.ts"
import { Callable, type List, type Value, emptyObject } from "../value/Values.ts"

const range = new Callable((run, first, second, third) => {
  const isOne = second === undefined
  const stop = isOne ? first : second
  const step = isOne || !third ? 1 : third
  let at: Value = isOne ? 0 : first
  const up = less(run, 0, step)
  const numbers: List = []
  while (up ? less(run, at, stop) : less(run, stop, at)) {
    run.alloc(8)
    run.tick(1)
    numbers.push(at)
    const next = add(run, at, step)
    if (next === at) throw valueFault("range does not come nearer to its end")
    at = next
  }
  return numbers
})

const cycler = new Callable((run, ...items) => {
  run.alloc(items.length * 8)
  let index = -1
  const self = emptyObject()
  self["current"] = null
  self["reset"] = new Callable(() => {
    index = -1
    self["current"] = null
    return undefined
  })
  self["next"] = new Callable(() => {
    index = index + 1 >= items.length ? 0 : index + 1
    self["current"] = items[index]
    return self["current"]
  })
  return self
})

const joiner = new Callable((run, separator) => {
  const between = separator ? text(run, separator) : ","
  let isFirst = true
  return new Callable(() => {
    const given = isFirst ? "" : between
    isFirst = false
    return given
  })
})

export const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["range", range],
  ["cycler", cycler],
  ["joiner", joiner]
])
