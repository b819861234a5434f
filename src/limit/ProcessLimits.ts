/**
 * The limits of a process, over all webhooks and clients: connections by the descriptors that it may open, and bytes of
 * requests. Webhooks, and senders of requests to the API, share them (Shares.ts).
 */
import { readFileSync } from "node:fs"
import { Shares } from "./Shares.ts"

/** Descriptors that are neither connections of receivers nor of clients: stores, files, threads, what is closing. */
const otherDescriptors = 256

/** Most connections to receivers, and of clients, however many descriptors there are: each takes some 50 kB. */
const outgoingMax = 4096
const incomingMax = 4096

/** Fewest of either, where the process may open hardly any descriptors. */
const connectionsMin = 64

/** Part of the connections to receivers that may be kept without a request. */
const idlePart = 1 / 4

interface ConnectionLimits {
  /** Requests to receivers at the same time, each on a connection. */
  readonly requests: number
  /** Connections to receivers that are kept for the next request. */
  readonly idle: number
  /** Connections of clients. */
  readonly incoming: number
}

/** The limits of a process that may open so many descriptors. */
export const connectionLimits = (descriptors: number): ConnectionLimits => {
  const half = Math.max(connectionsMin, Math.floor((descriptors - otherDescriptors) / 2))
  const outgoing = Math.min(half, outgoingMax)
  const idle = Math.floor(outgoing * idlePart)
  return { requests: outgoing - idle, idle, incoming: Math.min(half, incomingMax) }
}

/** Descriptors that a process may open where the system does not say. */
const descriptorsUsual = 1024

/** Descriptors that this process may open: Node has raised the limit as far as it may. */
const descriptors = (): number => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return soft === undefined ? descriptorsUsual : Number(soft)
  } catch {
    return descriptorsUsual
  }
}

/**
 * Bytes of the events of deliveries that have begun, and of the bodies that templates make of them. An attempt waits for
 * the second while it keeps the first, so they are counted apart: only attempts that wait for nothing keep bodies.
 */
const eventBytesMax = 64 << 20
const bodyBytesMax = 64 << 20

const limits = connectionLimits(descriptors())

export const processLimits = {
  /** Requests to receivers, by webhook. */
  requests: new Shares<number>(limits.requests),
  /** Bytes of events under way, and of rendered bodies, by webhook. */
  eventBytes: new Shares<number>(eventBytesMax),
  bodyBytes: new Shares<number>(bodyBytesMax),
  /** Connections to receivers without a request, by webhook. */
  idle: new Shares<number>(limits.idle),
  /** Connections of clients, by their address. */
  incoming: new Shares<string>(limits.incoming)
}

/** Plain values by name, as the status of a process reports them. */
export const limitsInUse = () => {
  const { requests, eventBytes, bodyBytes, idle, incoming } = processLimits
  return {
    ...{ requests: requests.used, requestsMax: requests.most },
    ...{ eventBytes: eventBytes.used, eventBytesMax: eventBytes.most },
    ...{ bodyBytes: bodyBytes.used, bodyBytesMax: bodyBytes.most },
    webhooksWaiting: requests.waitingHolders + eventBytes.waitingHolders + bodyBytes.waitingHolders,
    ...{ idleConnections: idle.used, idleConnectionsMax: idle.most },
    ...{ clientConnections: incoming.used, clientConnectionsMax: incoming.most }
  }
}
