/** The interface between the runner and a suite. */
import type { Differences } from "./Differences.ts"
import type { Template } from "./Template.ts"
import type { Timeline } from "./Timeline.ts"

export interface SeedOptions {
  readonly seed: number
  /** How long faults happen. */
  readonly seconds: number
  /** Rows of a very large transaction. */
  readonly manyRows: number
  /** Only faults with this in their name. */
  readonly only: string | undefined
  /** Whether the logs of a seed that passes are kept too. */
  readonly keep: boolean
  readonly template: Template
}

export interface Verdict {
  readonly differences: Differences
  readonly timeline: Timeline
  /** Where the logs are. */
  readonly directory: string
  /** From the last write until nothing differed. */
  readonly settleMillis: number
  readonly summary: string
}

/** Runs one seed. */
export type Suite = (options: SeedOptions) => Promise<Verdict>
