/** Rows of tables that no object type has: written to the file, and counted. */
import { Effect } from "effect"
import { identifier } from "./source/Catalogue.ts"
import { withoutCredentials } from "./Report.ts"
import type { Selection } from "./source/Selection.ts"
import type { Transfer } from "./Transfer.ts"

/** Tables whose rows are caches, sessions, records of Django, or computed from others. */
const ignored =
  /^(?:django_|auth_permission$|auth_group|auth_user_user_permissions$|users_(?:user|group)_(?:user_)?permissions$|taggit_|social_auth_(?:association|code|nonce|partial)$|extras_cachedvalue$|(?:core|extras)_objectchange$|dcim_cablepath$|(?:core|extras)_configrevision$|virtualization_virtualdisk$)/

/** The tables of pairs that fields read, by the names of the tables that have them. */
const isRead = (selections: ReadonlyArray<Selection>): ((table: string) => boolean) => {
  const tables = new Set(selections.flatMap(({ reads }) => reads))
  return (table) => tables.has(table)
}

/** Notes the rows of tables without an object type. */
export const homelessRows = Effect.fnUntraced(function* ({
  source: { catalogue, snapshot, selections },
  note
}: Transfer) {
  const counted: Array<{ readonly table: string; readonly rows: number }> = []
  const reads = isRead(selections)
  const whole = [...catalogue.tables].flatMap(([table, { isReadable }]) =>
    isReadable && !reads(table) && !ignored.test(table) ? [{ table, where: "true" }] : []
  )
  const rest = selections.flatMap(({ leftovers }) => leftovers)
  for (const { table, where } of [...whole, ...rest.filter(({ table }) => catalogue.tables.has(table))]) {
    let rows = 0
    yield* snapshot.pages(`select to_json(t) as row from ${identifier(table)} t where ${where}`, (page) =>
      Effect.sync(() => {
        rows += page.length
        for (const row of page) note({ kind: "homeless", table, id: row.id ?? null, values: withoutCredentials(row) })
      })
    )
    if (rows > 0) counted.push({ table, rows })
  }
  return counted
})
