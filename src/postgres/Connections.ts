/** How the connections of a process to Postgres are divided among its pools. */

interface Shares {
  /** Capture, deliver and commands: LISTEN, locks and batches. */
  readonly stages: number
  readonly requests: number
  /** Requests with a regular expression. */
  readonly patterns: number
  /** Authentication and health checks. */
  readonly admission: number
}

export type Share = keyof Shares

/** Connections that capture replicates by. */
const replication = 1

/** Fewest connections of a process. */
export const connectionsMin = 10

export const connectionsDefault = 34

export const sharesOf = (connections: number): Shares => {
  const rest = connections - replication
  const part = (of: number, least: number) =>
    Math.max(least, Math.floor((rest * of) / (connectionsDefault - replication)))
  const [stages, patterns, admission] = [part(12, 4), part(2, 1), part(3, 1)]
  return { stages, requests: rest - stages - patterns - admission, patterns, admission }
}

/** Most transactions of requests at once: each keeps a connection while it waits for locks. */
export const transactionsMax = (requests: number): number => Math.max(1, Math.floor((requests * 6) / 16))

/** Most connections of a process to the server itself, where a pooler takes those of requests. */
export const directConnections = (connections: number): number => sharesOf(connections).stages + replication
