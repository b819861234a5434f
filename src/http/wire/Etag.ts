/** `ETag` of an object: when it was last updated; and `If-Match`, by which a client writes only what it has read. */
import { Effect } from "effect"
import type { Row } from "../../inventory/Field.ts"
import { HttpRefused } from "../HttpRefused.ts"

const etagOf = (row: Row): string | undefined =>
  typeof row["last_updated"] === "string" ? `W/"${row["last_updated"]}"` : undefined

export const etagHeader = (row: Row): Readonly<Record<string, string>> => {
  const etag = etagOf(row)
  return etag === undefined ? {} : { etag }
}

/** Refuses rows that are no longer what the header names: a list of tags, or `*` for whatever there is. */
export const guardOf =
  (header: string | undefined) =>
  (rows: ReadonlyArray<Row>): Effect.Effect<void, HttpRefused> => {
    if (header === undefined || header.trim() === "*") return Effect.void
    const named = new Set(header.split(",").map((tag) => weak(tag.trim())))
    const other = rows.find((row) => !named.has(etagOf(row) ?? ""))
    if (other === undefined) return Effect.void
    const body = { detail: "Precondition failed." }
    return Effect.fail(new HttpRefused({ reason: "PreconditionFailed", body, headers: etagHeader(other) }))
  }

/** Proxies that change an answer's bytes make weak tags of strong ones. */
const weak = (tag: string): string => (tag.startsWith("W/") ? tag : `W/${tag}`)
