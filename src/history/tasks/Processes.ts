/** The processes of the service, as people and the API see them. */
import { Effect } from "effect"
import { type Process, type Status, processesAndLost } from "../../postgres/Presence.ts"

/**
 * `lost`: it wrote no status for a while, and ended without a farewell. `quiet`: it drains and takes no new work.
 * `paused`: all sending is paused.
 */
type ProcessState = "busy" | "idle" | "paused" | "quiet" | "lost"

export interface SeenProcess extends Process {
  readonly state: ProcessState
  /** Roles of the process: `api`, `capture`, `deliver`. */
  readonly roles: ReadonlyArray<string>
}

/** The status of a part of a process; undefined if the process has no such part. */
export const told = ({ parts }: Process, part: string): Status | undefined => parts[part]

const stateOf = (process: Process): ProcessState => {
  if (process.lost) return "lost"
  if (process.quiet) return "quiet"
  if (numberOf(process, "deliver", "isStopped") > 0) return "paused"
  return numberOf(process, "deliver", "inFlight") > 0 ? "busy" : "idle"
}

/** Every process, also processes that were lost lately. */
export const processes = Effect.map(processesAndLost, (found) =>
  found.map((process): SeenProcess => ({
    ...process,
    state: stateOf(process),
    roles: ["api", "capture", "deliver"].filter((role) => told(process, role) !== undefined)
  }))
)

/** Processes that deliver. */
export const deliverers = (all: ReadonlyArray<SeenProcess>): ReadonlyArray<SeenProcess> =>
  all.filter(({ roles }) => roles.includes("deliver"))

/** A number of a part of the process; 0 if it does not report it. */
export const numberOf = (process: Process, part: string, name: string): number =>
  Number(told(process, part)?.[name] ?? 0)
