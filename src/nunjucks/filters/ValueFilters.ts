/** Filters on numbers and on any value. */
import type { Run, Native, Value } from "../value/Values.ts"
import { stringify } from "../value/Json.ts"
import { numberOf, primitive, text } from "../value/Operators.ts"
import { given } from "./Inputs.ts"
import { byName } from "./Signature.ts"

const orDefault: Native = (_run, input, otherwise, whenFalse) =>
  whenFalse ? input || otherwise : input === undefined ? otherwise : input

/** Most characters of an indentation, as JSON.stringify has it. */
const indentMax = 10

const dump: Native = (run, input, spaces) =>
  stringify(run, input, typeof spaces === "string" ? spaces.slice(0, indentMax) : blanks(spaces))

const blanks = (spaces: Value): string =>
  typeof spaces === "number" ? " ".repeat(Math.min(indentMax, Math.max(0, Math.trunc(spaces) || 0))) : ""

const float: Native = (run, input, otherwise) => {
  const number = parseFloat(text(run, input))
  return Number.isNaN(number) ? otherwise : number
}

const int: Native = byName(["value", "default", "base"], (run, input, otherwise, base = 10) => {
  const number = parseInt(text(run, input), numberOf(run, base))
  return Number.isNaN(number) ? otherwise : number
})

const rounders: ReadonlyMap<Value, (number: number) => number> = new Map([
  ["ceil", Math.ceil],
  ["floor", Math.floor]
])

const round: Native = (run, input, precision, method) => {
  const factor = Math.pow(10, given(run, precision, 0))
  return (rounders.get(method) ?? Math.round)(numberOf(run, input) * factor) / factor
}

const abs = (run: Run, input: Value): Value => Math.abs(primitive(run, input) as number)

export const valueFilters: ReadonlyArray<readonly [string, Native]> = [
  ["abs", abs],
  ["d", orDefault],
  ["default", orDefault],
  ["dump", dump],
  ["float", float],
  ["int", int],
  ["round", round]
]
