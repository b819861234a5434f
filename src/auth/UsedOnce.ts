/** Values that count once: the states of sign-ins by a provider, and the challenges of passkeys. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { digest } from "../inventory/Vault.ts"
import type { Table } from "../postgres/migrate/Table.ts"

/** The digests of values that were used, for as long as the tickets that carry them are valid. */
export const usedValueTable: Table = {
  name: "rackwire_used_value",
  daily: false,
  unlogged: true,
  columns: [
    { name: "digest", type: "text", nullable: false },
    { name: "expires", type: "timestamp with time zone", nullable: false }
  ],
  constraints: [{ name: "rackwire_used_value_digest_key", sql: "unique (digest)" }],
  indexes: [{ name: "rackwire_used_value_expires_idx", sql: "(expires)", unique: false }],
  triggers: [],
  published: false
}

/** Notes that a random value is used, which counts for some seconds. Returns false if it was used before, in any process. */
export const claimOnce = Effect.fnUntraced(function* (value: string, seconds: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from rackwire_used_value where expires < now()`
  // Twice the time: the clocks of processes and of Postgres differ.
  const noted = yield* sql`
    insert into rackwire_used_value (digest, expires)
    values (${digest(value)}, now() + make_interval(secs => ${2 * seconds}))
    on conflict (digest) do nothing returning digest`
  return noted.length > 0
})
