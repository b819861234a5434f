/**
 * The publication: what the WAL carries to us. Postgres leaves out, in silence, what it does not list.
 *
 * It is compared whole at the start and with every heartbeat: operations, tables, columns, row filters, and the replica
 * identities of the tables. A difference is repaired, and the span since the last comparison is a gap (Gaps.ts). A
 * change that was undone between two comparisons shows in the fingerprint: the versions of the catalog's rows.
 *
 * Tables that it lists besides ours do no harm: they may belong to a later version of this service.
 */
import { Effect } from "effect"
import {
  type FoundPublication,
  findPublication,
  publication,
  publicationFingerprint,
  publishedTables,
  publishedTypes
} from "../../inventory/derive/table/PublicationState.ts"
import { type Run, closeGaps, openGap } from "./Gaps.ts"

const operations = "insert, update, delete, truncate"

/**
 * Compares the publication and the identities of its tables with the declared ones, and repairs them. Ends the open
 * gaps, unless the slot is to be made (`hasSlot`): without one nothing is captured yet.
 */
export const ensurePublication = Effect.fnUntraced(function* (run: Run, hasSlot = true) {
  // Before the comparison: what changes after it belongs to the next span.
  const [at] = yield* run<{ readonly time: string; readonly lsn: string }>(
    "select now()::text as time, pg_current_wal_insert_lsn()::text as lsn"
  )
  const [row] = yield* run<{ readonly found: FoundPublication }>(findPublication, [publication, publishedTables])
  const { found } = row!
  for (const { reason, tables } of differencesOf(found)) {
    yield* openGap(run, { cause: "publication", reason, types: tables?.map((table) => publishedTypes.get(table)!) })
  }
  const statement = repairOf(found)
  if (statement !== undefined) yield* run(statement)
  for (const table of found.unidentified) yield* repairIdentity(run, table)
  if (hasSlot) yield* closeGaps(run, ["publication", "identity", "slot"])
  const verified = statement === undefined ? found.fingerprint : null
  yield* run(
    `update rackwire_epoch set verified = $3::timestamptz, verified_lsn = $4::pg_lsn,
            fingerprint = coalesce($5::text, ${publicationFingerprint})
      where number = (select max(number) from rackwire_epoch)`,
    [publication, publishedTables, at!.time, at!.lsn, verified]
  )
})

interface Difference {
  readonly reason: string
  /** The tables concerned; undefined for all. */
  readonly tables?: ReadonlyArray<string>
}

/** By what the publication loses changes, or may have lost some since the last comparison. Pure. */
const differencesOf = (found: FoundPublication): ReadonlyArray<Difference> => {
  const { known, missing, limited } = found
  if (found.fingerprint === null) return [{ reason: `the publication ${publication} was dropped` }]
  const isChanged = known !== null && known !== found.fingerprint
  const differences = [
    ...(found.operations ? [] : [{ reason: `the publication ${publication} left out operations` }]),
    // A table that nobody took out of the publication is new.
    ...(isChanged && missing.length > 0
      ? [{ reason: `the publication ${publication} lacked ${missing.join(", ")}`, tables: missing }]
      : []),
    ...(limited.length > 0
      ? [
          {
            reason: `the publication ${publication} left out rows or columns of ${limited.join(", ")}`,
            tables: limited
          }
        ]
      : [])
  ]
  if (differences.length > 0 || !isChanged) return differences
  return [{ reason: `the publication ${publication} was changed and changed back` }]
}

/** One statement that makes it whole, so that no record in the WAL meets half a publication; undefined for none. */
const repairOf = ({ fingerprint, operations: whole, missing, limited }: FoundPublication): string | undefined => {
  if (fingerprint === null) return `create publication ${publication} for table ${publishedTables.join(", ")}`
  const statements = [
    ...(whole ? [] : [`set (publish = '${operations}')`]),
    ...limited.map((table) => `drop table ${table}`),
    ...[...missing, ...limited].map((table) => `add table ${table}`)
  ]
  if (statements.length === 0) return undefined
  return `do $$ begin ${statements.map((statement) => `alter publication ${publication} ${statement};`).join(" ")} end $$`
}

/** Restores replica identity full: without it the WAL has no complete old rows. */
const repairIdentity = Effect.fnUntraced(function* (run: Run, table: string) {
  const reason = `${table} had lost its replica identity full: updates had no previous state, deletions only an id`
  yield* openGap(run, { cause: "identity", reason, types: [publishedTypes.get(table)!] })
  yield* run(`alter table ${table} replica identity full`)
  yield* Effect.logWarning(`capture: ${table} had lost its replica identity full and has it again`)
})
