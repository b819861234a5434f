/**
 * The origin of the database: by this a restored backup shows, in which LSNs that had meant other changes are used
 * again. Dumps have another system identifier, and most backups lack the slot: those begin a new epoch anyway.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import type { Walsender } from "../wal/Walsender.ts"
import { formatLsn, parseLsn } from "../../event/Lsn.ts"

export interface Origin {
  /** Identity of the database cluster. */
  readonly systemId: string
  /** Rises with every recovery of a backup, and with every standby that takes over. */
  readonly timeline: number
  /** Where each timeline before this one ended. */
  readonly ends: ReadonlyMap<number, string>
  /** Identity of the files of an embedded Postgres: a copy of them has another one. Null if they are not ours. */
  readonly place: string | null
  /** The end of the WAL. */
  readonly end: bigint
  /** The last position that this process has received from the same cluster. */
  readonly received: bigint
}

/** Queries the server. */
export const originOf = async (walsender: Walsender, place: string | null, received: ReceivedEnd): Promise<Origin> => {
  const [[systemId, timeline, end] = []] = await walsender.query("IDENTIFY_SYSTEM")
  const [[, history] = []] = timeline === "1" ? [] : await walsender.query(`TIMELINE_HISTORY ${timeline}`)
  return {
    systemId: systemId ?? "",
    timeline: Number(timeline),
    ends: endsIn(history ?? ""),
    place,
    end: parseLsn(end ?? "0/0"),
    received: received.systemId === systemId ? received.lsn : 0n
  }
}

/** The end of the WAL that a process has received. */
export interface ReceivedEnd {
  readonly systemId: string
  readonly lsn: bigint
}

/** The ends of timelines in a history file: lines of a timeline, an LSN and a comment. */
export const endsIn = (history: string): ReadonlyMap<number, string> =>
  new Map([...history.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gim)].map(([, id, lsn]) => [Number(id), lsn!]))

/** The identity of the embedded cluster in this data directory; null if there is none. */
export const placeIn = (dataDirectory: string): string | null => {
  try {
    const { ino, birthtimeMs } = statSync(join(dataDirectory, "postgres", "PG_VERSION"))
    return `${ino} ${birthtimeMs}`
  } catch {
    return null
  }
}

/**
 * Why the database must have been restored since it was like this, and from where on its WAL is another one (undefined
 * for all that is not confirmed); undefined if it was not restored.
 */
export const restoredSince = (
  { timeline, place }: { readonly timeline: number | null; readonly place: string | null },
  origin: Origin
): { readonly why: string; readonly begin: string | undefined } | undefined => {
  if (timeline !== null && timeline !== origin.timeline) {
    const why = `the database is on timeline ${origin.timeline} and was on ${timeline}`
    return { why, begin: origin.ends.get(timeline) }
  }
  if (place !== null && origin.place !== null && place !== origin.place) {
    return { why: "the data directory is a copy, perhaps of a backup", begin: undefined }
  }
  if (origin.received > origin.end) {
    const why = `the WAL ends at ${formatLsn(origin.end)}, and was read up to ${formatLsn(origin.received)}`
    return { why, begin: undefined }
  }
  return undefined
}
