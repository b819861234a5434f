/** Slots of sources that were deleted: each would make the server of its NetBox keep WAL for ever. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Vault } from "../../inventory/Vault.ts"
import { sqlStateOf } from "../../postgres/Postgres.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { openDatabase } from "../OpenSource.ts"
import { dropSlot } from "./SourceSlot.ts"

interface Orphan {
  readonly id: string
  /** Sealed. */
  readonly url: string
  /** Null for a source that was polled. */
  readonly slot: string | null
}

/** Drops them, and deletes what is known of their sources; a server that is away is tried again at the next call. */
export const dropOrphans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const orphans = yield* sql<Orphan>`
    select s.source_id::text as id, s.database_url as url, s.slot from rackwire_source s
     where not exists (select from extras_source e where e.id = s.source_id)`
  for (const { id, url, slot } of orphans) {
    yield* Effect.scoped(dropAt(url, slot)).pipe(
      Effect.catchIf(
        (error) => sqlStateOf(error) === noDatabase,
        () => Effect.void
      ),
      Effect.andThen(sql`
        with deleted as (delete from rackwire_source_change where source_id = ${id}::text::bigint)
        delete from rackwire_source where source_id = ${id}::text::bigint`),
      Effect.catch((error) =>
        Effect.logWarning(`source: the slot ${slot} of the deleted source ${id} is not dropped yet: ${inWords(error)}`)
      )
    )
  }
})

/** SQLSTATE: there is no database of this name. Postgres drops a database only after its slots, so none is left. */
const noDatabase = "3D000"

const dropAt = Effect.fnUntraced(function* (sealed: string, slot: string | null) {
  if (slot === null) return
  const url = (yield* Vault).open(sealed)
  if (url === undefined) return yield* Effect.logWarning(leftBehind(slot))
  yield* dropSlot(yield* openDatabase(Redacted.make(url)), slot)
})

/** Without the address nothing more can be done here than to say it once. */
const leftBehind = (slot: string): string =>
  `source: the slot ${slot} of a deleted source stays on the server of its NetBox, which keeps WAL for it, because the address was sealed with another SECRET_KEY. Drop it there: select pg_drop_replication_slot('${slot}')`
