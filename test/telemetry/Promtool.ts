/** `promtool` of Prometheus, where it is installed. */
import { spawnSync } from "node:child_process"
import { needs } from "../support/Ledger.ts"

export const hasPromtool = needs(
  "promtool",
  spawnSync("promtool", ["--version"]).status === 0,
  "apt-get install prometheus"
)

/** Runs it with this input; returns the exit code and what it printed. */
export const promtool = (
  args: ReadonlyArray<string>,
  input = ""
): { readonly code: number | null; readonly output: string } => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" })
  return { code: status, output: stdout + stderr }
}
