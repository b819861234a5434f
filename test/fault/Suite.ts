/** The interface between the runner and a suite: a suite starts worlds, and a world runs seeds one after another. */
import type { Differences } from "./Differences.ts"
import type { Template } from "./Template.ts"
import type { Timeline } from "./Timeline.ts"

/** Options that all seeds of a run have in common. */
export interface RunOptions {
  /** How long faults happen. */
  readonly seconds: number
  /** Rows of a very large transaction. */
  readonly manyRows: number
  /** Only faults with this in their name. */
  readonly only: string | undefined
  readonly template: Template
}

/** The result of a seed. The oracles compare everything since its world began. */
export interface Verdict {
  readonly differences: Differences
  readonly timeline: Timeline
  /** Where the logs are. */
  readonly directory: string
  /** From the last write until nothing differed. */
  readonly settleMillis: number
  readonly summary: string
}

export interface SuiteWorld {
  /** Runs one seed where the one before has settled; `isLast`: no other seed follows in this world. */
  readonly run: (seed: number, isLast: boolean) => Promise<Verdict>
  /** Ends everything. The logs stay unless `forget`. */
  readonly end: (forget: boolean) => Promise<void>
}

/** Starts a world. Its first seed decides what the world decides once. Rejects where the world does not get ready. */
export type Suite = (first: number, options: RunOptions) => Promise<SuiteWorld>
