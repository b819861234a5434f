/** Notes of the workers of a run for its report, one per line. */
import { appendFileSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

export const ledgerFile = "node_modules/.cache/test-ledger"

const note = (line: string): void => {
  // Scripts use the same modules, and nobody reports on them.
  if (process.env["VITEST"] === undefined) return
  mkdirSync(dirname(ledgerFile), { recursive: true })
  appendFileSync(ledgerFile, `${line}\n`)
}

export const startIn = (place: "worker" | "process"): string => `start in a ${place}`

/** Counts the start of a service. */
export const countStart = (place: "worker" | "process"): void => note(startIn(place))

export const missingPrefix = "this machine lacks "

/** Whether a program is there that some tests need; if not, the report says how to get it. */
export const needs = (program: string, isThere: boolean, remedy: string): boolean => {
  if (!isThere) note(`${missingPrefix}${program}: ${remedy}`)
  return isThere
}
