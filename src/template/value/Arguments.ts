/** What functions expect of their arguments, with Python's words where they do not get it. */
import { typeFault } from "../Fault.ts"
import { type Value, isInteger, isText, plain, typeName } from "./Values.ts"

/** An int, as a number; one too large for it is as good as infinite. */
export const asInteger = (value: Value): number => {
  if (!isInteger(value)) throw typeFault(`'${typeName(value)}' object cannot be interpreted as an integer`)
  return Number(value)
}

/** An int; the default where it was left out. */
export const integerOr = (value: Value | undefined, absent: number): number =>
  value === undefined ? absent : asInteger(value)

/** Text; `what` says what must be text. */
export const asText = (value: Value, what: string): string => {
  if (!isText(value)) throw typeFault(`${what}, not ${typeName(value)}`)
  return plain(value)
}
