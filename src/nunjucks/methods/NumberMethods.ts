/** The methods of numbers that templates may call. */
import { Fault } from "../../jinja/runtime/Fault.ts"
import type { Run, Value } from "../value/Values.ts"
import { numberOf } from "../value/Operators.ts"

type NumberMethod = (run: Run, self: number, ...args: ReadonlyArray<Value>) => Value

/** JavaScript refuses digits out of range. */
const within = (digits: number, least: number, most: number): number => {
  const whole = Math.trunc(digits) || 0
  if (whole < least || whole > most) throw new Fault("Value", `a number from ${least} to ${most} is expected`)
  return whole
}

export const numberMethods: ReadonlyMap<string, NumberMethod> = new Map<string, NumberMethod>([
  ["toFixed", (run, self, digits) => self.toFixed(within(numberOf(run, digits), 0, 100))],
  [
    "toPrecision",
    (run, self, digits) => (digits === undefined ? `${self}` : self.toPrecision(within(numberOf(run, digits), 1, 100)))
  ],
  [
    "toString",
    (run, self, base) => (base === undefined ? `${self}` : self.toString(within(numberOf(run, base), 2, 36)))
  ],
  ["toLocaleString", (_run, self) => self.toLocaleString("en-US")]
])
