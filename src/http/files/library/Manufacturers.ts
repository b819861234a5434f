/** The manufacturers that files of the device type library name: found by name, or created. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorize } from "../../../auth/Permission.ts"
import { cleared } from "../../../inventory/Clearance.ts"
import { objectType } from "../../../inventory/Registry.ts"
import { after } from "../../../inventory/derive/filter/Where.ts"
import { create } from "../../../inventory/write/Write.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import { type Errors, textsIn } from "../../../inventory/Field.ts"
import { slugOf } from "../../../inventory/field/SlugOf.ts"
import type { Request } from "../../wire/Request.ts"

const manufacturerType = objectType("dcim.manufacturer")

/** The ids of manufacturers by name, of all that a file has named so far, and the names of created ones. */
export interface Manufacturers {
  readonly ids: Map<string, number>
  /** Ids of created ones by their slugs. */
  readonly slugs: Map<string, number>
  readonly refused: Map<string, string>
  readonly created: Array<string>
}

/** Finds or creates manufacturers of these names. Fails with 403 if one is missing and the sender may not create it. */
export const findManufacturers = Effect.fnUntraced(function* (
  names: Iterable<string>,
  { ids, slugs, refused, created }: Manufacturers,
  request: Request
) {
  const wanted = [...new Set(names)].filter((name) => !ids.has(name) && !refused.has(name))
  if (wanted.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const visible = yield* cleared(manufacturerType, "refer")
  const found = yield* sql.unsafe<{ readonly name: string; readonly id: string }>(
    `select j.name, t.id::text as id from unnest($1::text[], $2::text[]) j(name, slug)
       join dcim_manufacturer t on (t.name = j.name or t.slug = j.slug) and ${after(2, visible)}
      order by t.name = j.name`,
    [wanted, wanted.map(slugOf), ...visible.parameters]
  )
  // The one of the same name is last.
  for (const { name, id } of found) ids.set(name, Number(id))
  for (const name of wanted.filter((each) => !ids.has(each))) {
    const slug = slugOf(name)
    const same = slugs.get(slug)
    if (same !== undefined) {
      ids.set(name, same)
      continue
    }
    yield* authorize(request.principal, "POST", "add", manufacturerType)
    yield* create(manufacturerType, [{ name, slug }], request.author).pipe(
      Effect.map((made) => {
        const { id } = made[0]!.row
        ids.set(name, id)
        slugs.set(slug, id)
        created.push(name)
      }),
      Effect.catchIf(
        (error): error is WriteRefused => error instanceof WriteRefused,
        ({ errors }) => Effect.sync(() => refused.set(name, inOneLine(errors[0] ?? {})))
      )
    )
  }
})

const inOneLine = (errors: Errors): string =>
  Object.entries(errors)
    .map(([field, messages]) => `${field}: ${textsIn(messages).join(" ")}`)
    .join(" ")
