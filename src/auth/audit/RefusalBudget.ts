/**
 * Bounds the rows that refusals write, so that a flood of them does not fill the disk. Pure.
 *
 * In a window a network writes a row for each refusal up to a limit, then one that says so, then none. Attempts over the
 * rate limit of passwords write one row for each name. A network over its limit has to wait where each attempt costs
 * requests to a provider.
 */
import { keepNewest } from "../../eventloop/KeepNewest.ts"

/** Time in which the rows of a network are counted, milliseconds. */
export const windowMillis = 5 * 60_000

/** Most rows of a network in a window. One more says that further refusals are not stored. */
export const rowsMax = 100

/** Most networks that are counted at a time; those whose window began first are dropped. */
const networksMax = 10_000

/** The reason of an attempt that the rate limit refuses, and of the last row of a network. */
export const overLimit = "TooManyAttempts"

interface Refusal {
  /** The network of the client's address. */
  readonly network: string
  readonly name: string
  readonly reason: string
}

interface Window {
  readonly since: number
  rows: number
  /** Names that the rate limit refused. */
  readonly limited: Set<string>
}

export class RefusalBudget {
  private readonly windows = new Map<string, Window>()

  /** Takes a row out of the budget. Returns the reason that the row has; undefined where none is to be written. */
  take({ network, name, reason }: Refusal, now: number): string | undefined {
    const window = this.windowOf(network, now)
    if (reason === overLimit && window.limited.has(name)) return undefined
    window.rows += 1
    if (window.rows > rowsMax + 1) return undefined
    if (reason === overLimit) window.limited.add(name)
    return window.rows > rowsMax ? overLimit : reason
  }

  /** Milliseconds until the next window of a network that has used up its budget; 0 for another. */
  wait(network: string, now: number): number {
    const known = this.windows.get(network)
    return known === undefined || known.rows <= rowsMax ? 0 : Math.max(0, known.since + windowMillis - now)
  }

  private windowOf(network: string, now: number): Window {
    const known = this.windows.get(network)
    if (known !== undefined && now - known.since < windowMillis) return known
    const made: Window = { since: now, rows: 0, limited: new Set() }
    // Deleted first, so that the map is in the order of the windows' begins.
    this.windows.delete(network)
    this.windows.set(network, made)
    keepNewest(this.windows, networksMax)
    return made
  }
}
