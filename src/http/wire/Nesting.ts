/** How deep a value from outside may nest. Code that walks a value calls itself, and so does Postgres' parser. Pure. */
import { nestingMax } from "../../inventory/Unreadable.ts"

export { nestingMax }

/** The value; throws if it is nested too deeply. */
export const notTooDeep = (value: unknown): unknown => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > nestingMax) throw new Error(`nested more than ${nestingMax} levels deep`)
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []))
  }
  return value
}
