/** What functions expect of their arguments, with Python's words where they do not get it. */
import { Fault, typeFault } from "../runtime/Fault.ts"
import { type Value, isInteger, isText, plain, typeName } from "./Values.ts"

/** What a C `ssize_t` holds. */
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

/** An int; the default where it was left out. */
export const integerOr = (value: Value | undefined, absent: number): number =>
  value === undefined ? absent : asInteger(value)

/** Text; `what` says what must be text. */
export const asText = (value: Value, what: string): string => {
  if (!isText(value)) throw typeFault(`${what}, not ${typeName(value)}`)
  return plain(value)
}
