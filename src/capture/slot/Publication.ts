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
import { registry } from "../../inventory/Registry.ts"
import { type Run, closeGaps, openGap } from "./Gaps.ts"

export const publication = "rackwire"

/** The object types whose changes become events, by their tables. */
const types = new Map(
  [...registry.values()].filter((type) => type.kind === "object").map((type) => [type.table, type.id])
)
const wanted = [...types.keys()]

const operations = "insert, update, delete, truncate"

/** SQL of the versions of the rows that make up the publication, as far as it concerns our tables ($2). */
const fingerprint = `(
  select p.oid || ' ' || p.xmin || ' ' || coalesce(
    (select string_agg(r.oid || ' ' || r.xmin, ',' order by r.oid) from pg_publication_rel r
      where r.prpubid = p.oid and r.prrelid = any (select to_regclass(quote_ident(name))::oid from unnest($2::text[]) name)), '')
    from pg_publication p where p.pubname = $1)`

interface Found {
  /** Null if there is no publication. */
  readonly fingerprint: string | null
  /** As of the last comparison; null if there was none. */
  readonly known: string | null
  readonly operations: boolean
  readonly missing: ReadonlyArray<string>
  /** Tables of which only some rows or columns are published. */
  readonly limited: ReadonlyArray<string>
  /** Tables without replica identity full. */
  readonly unidentified: ReadonlyArray<string>
}

/** Before Postgres 15 a publication had no row filters and no lists of columns: the view lacks those columns. */
const findStatement = `
  with wanted as (select name, to_regclass(quote_ident(name)) as relation from unnest($2::text[]) name),
  listed as (
    select wanted.name, wanted.relation, to_jsonb(t) as shown
      from pg_publication_tables t join wanted on wanted.name = t.tablename
     where t.pubname = $1 and t.schemaname = current_schema())
  select json_build_object(
    'fingerprint', ${fingerprint},
    'known', (select fingerprint from rackwire_epoch order by number desc limit 1),
    'operations', coalesce((select pubinsert and pubupdate and pubdelete and pubtruncate
                              from pg_publication where pubname = $1), false),
    'missing', array(select name from wanted except select name from listed order by 1),
    'limited', array(
      select name from listed
       where shown->>'rowfilter' is not null or shown ? 'attnames' and exists (
         select from pg_attribute a where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
            and a.attgenerated = '' and not (shown->'attnames') ? a.attname::text)
       order by 1),
    'unidentified', array(
      select name from wanted join pg_class c on c.oid = wanted.relation where c.relreplident <> 'f' order by 1)
  ) as found`

/** Compares the publication and the identities of its tables with what they should be, and repairs them. */
export const ensurePublication = Effect.fnUntraced(function* (run: Run) {
  // Before the comparison: what changes after it belongs to the next span.
  const [at] = yield* run<{ readonly time: string; readonly lsn: string }>(
    "select now()::text as time, pg_current_wal_insert_lsn()::text as lsn"
  )
  const [row] = yield* run<{ readonly found: Found }>(findStatement, [publication, wanted])
  const { found } = row!
  for (const { reason, tables } of differencesOf(found)) {
    yield* openGap(run, { cause: "publication", reason, types: tables?.map((table) => types.get(table)!) })
  }
  const statement = repairOf(found)
  if (statement !== undefined) yield* run(statement)
  for (const table of found.unidentified) yield* repairIdentity(run, table)
  yield* closeGaps(run, ["publication", "identity", "slot"])
  const verified = statement === undefined ? found.fingerprint : null
  yield* run(
    `update rackwire_epoch set verified = $3::timestamptz, verified_lsn = $4::pg_lsn,
            fingerprint = coalesce($5::text, ${fingerprint})
      where number = (select max(number) from rackwire_epoch)`,
    [publication, wanted, at!.time, at!.lsn, verified]
  )
})

interface Difference {
  readonly reason: string
  /** The tables concerned; undefined for all. */
  readonly tables?: ReadonlyArray<string>
}

/** By what the publication loses changes, or may have lost some since the last comparison. Pure. */
const differencesOf = (found: Found): ReadonlyArray<Difference> => {
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
const repairOf = ({ fingerprint, operations: whole, missing, limited }: Found): string | undefined => {
  if (fingerprint === null) return `create publication ${publication} for table ${wanted.join(", ")}`
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
  const reason = `${table} had lost its replica identity full: updates came without the state before, deletions with an id alone`
  yield* openGap(run, { cause: "identity", reason, types: [types.get(table)!] })
  yield* run(`alter table ${table} replica identity full`)
  yield* Effect.logWarning(`capture: ${table} had lost its replica identity full and has it again`)
})
