/** Checks of arguments; they fail with Python's messages. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import { isInteger, isText, plain, typeName } from "./Values.ts"
import type { Value } from "./Value.ts"

/** The range of a C `ssize_t`. */
const indexMost = 2 ** 63

/** The int as a position or a length. */
export const asIndex = (value: boolean | number | bigint): number => {
  const index = Number(value)
  if (Math.abs(index) >= indexMost) throw new Fault("Overflow", "cannot fit 'int' into an index-sized integer")
  return index
}

/** An int, as a number. */
export const asInteger = (value: Value): number => {
  if (!isInteger(value)) throw typeFault(`'${typeName(value)}' object cannot be interpreted as an integer`)
  return asIndex(value)
}

/** An int; the default if it was omitted. */
export const integerOr = (value: Value | undefined, absent: number): number =>
  value === undefined ? absent : asInteger(value)

/** Text; `what` begins the message of the fault. */
export const asText = (value: Value, what: string): string => {
  if (!isText(value)) throw typeFault(`${what}, not ${typeName(value)}`)
  return plain(value)
}
