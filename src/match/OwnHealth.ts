/**
 * No webhook fires for its own health, nor for an alarm about it: it would be sent to the receiver that fails, and that
 * delivery would turn the health again. Pure.
 */
import { isDeepStrictEqual } from "node:util"
import { isDictionary } from "../inventory/Field.ts"
import type { Subject } from "./Subject.ts"

const healthFields: ReadonlySet<string> = new Set(["health", "health_since"])

/** The webhook whose health changed in the event, and nothing else, or that an alarm is about; undefined for others. */
export const turnedIn = ({ type, kind, data, snapshots }: Subject): number | undefined => {
  if (type === "extras.alarm") return idOf(isDictionary(data) ? data["webhook"] : undefined)
  if (type !== "extras.webhook" || kind !== "updated") return undefined
  const { prechange: before, postchange: after } = snapshots ?? {}
  if (!isDictionary(before) || !isDictionary(after) || before["health"] === after["health"]) return undefined
  const isElse = (name: string) => !healthFields.has(name) && !isDeepStrictEqual(before[name], after[name])
  if (Object.keys({ ...before, ...after }).some(isElse)) return undefined
  return idOf(data)
}

const idOf = (object: unknown): number | undefined => {
  const id = isDictionary(object) ? object["id"] : undefined
  return typeof id === "number" ? id : undefined
}
