/** A suite has contenders that do the same job, one of them Rackwire, measured in turns in one run. */

import type { Usage } from "./Usage.ts"

/** The figures of one turn of a contender, by name. */
export type Sample = Readonly<Record<string, number>>

export interface Contender {
  readonly name: string
  /** `floor`: the least that the job can cost. `peer`: an alternative that people use. */
  readonly role: "floor" | "peer" | "ours"
  /** CPU time and memory of its process so far; those of this process if absent. */
  readonly usage?: () => Usage
  /** CPU seconds so far of every process that the job needs, by what it is. */
  readonly parts?: () => Readonly<Record<string, number>>
  readonly turn: (round: number) => Promise<Sample>
}

export interface Figure {
  readonly name: string
  readonly unit: string
  /** Whether more is better. Ratios are printed so that more is better. */
  readonly more: boolean
}

export interface Suite {
  readonly title: string
  readonly figures: ReadonlyArray<Figure>
  readonly rounds: number
  /** Rounds before those, in which code gets warm; one if absent. */
  readonly warmUps?: number
  readonly contenders: ReadonlyArray<Contender>
  readonly close: () => Promise<void>
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** The value below which this share of all values lies. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? Number.NaN
}
