/** `ETag` of an object, made of its last update, and `If-Match`, which refuses to write an object that has changed. */
import { Effect } from "effect"
import type { Row } from "../../inventory/Field.ts"
import { HttpRefused } from "../HttpRefused.ts"

const etagOf = (row: Row): string | undefined =>
  typeof row["last_updated"] === "string" ? `W/"${row["last_updated"]}"` : undefined

export const etagHeader = (row: Row): Readonly<Record<string, string>> => {
  const etag = etagOf(row)
  return etag === undefined ? {} : { etag }
}

/** Fails with 412 if a row has none of the tags in the header; `*` accepts any row. */
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

/** The tag as a weak one: proxies that change an answer's bytes turn strong tags into weak ones. */
const weak = (tag: string): string => (tag.startsWith("W/") ? tag : `W/${tag}`)
