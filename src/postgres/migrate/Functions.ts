/**
 * The functions of the database: all are made anew where one differs from its declaration. Each replacement writes to
 * the catalog, and the sessions of running processes plan their statements anew after it, so a start that finds them as
 * they were noted (DatabaseVersion.ts) makes none.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Makes the functions unless they are as `noted`, and returns the note: a digest of the declared statements and one of
 * the definitions that Postgres has, so that a change of either one is found.
 */
export const makeFunctions = Effect.fnUntraced(function* (declared: ReadonlyArray<string>, noted: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const own = createHash("sha256").update(declared.join("\n")).digest("hex")
  if (noted === `${own} ${yield* foundDigest}`) return noted
  for (const statement of declared) yield* sql.unsafe(statement)
  return `${own} ${yield* foundDigest}`
})

const foundDigest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly digest: string | null }>`
    select encode(sha256(convert_to(string_agg(pg_get_functiondef(oid), '' order by proname, oid), 'UTF8')), 'hex') as digest
      from pg_proc where pronamespace = current_schema()::regnamespace and prokind = 'f' and proname like 'rackwire\\_%'`
  return found?.digest ?? "none"
})
