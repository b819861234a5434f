/**
 * The table of the bytes of images, in parts. It is not published, so they are in no event.
 *
 * One table has the images of all fields of all types: their sum is one query, and a backup has one place for them. Each
 * field has a column in it, which is the id of the object, so that a foreign key deletes the bytes with their object, and
 * a trigger those of an optional image that is removed.
 */
import type { Column, Definition, Table } from "../../postgres/migrate/Table.ts"
import { type ObjectType, columnOf } from "../ObjectType.ts"
import { registry } from "../Registry.ts"
import { imageFieldsOf } from "./ImageField.ts"

const name = "rackwire_image_part"

/** The field that the table was made for, whose column and key have other names than those of later fields. */
const firstType = "extras.imageattachment"

/** The column with the ids of the objects whose images are in this field. */
export const partColumn = ({ id, table }: ObjectType, field: string): string =>
  id === firstType ? "attachment_id" : `${table}_${field}`

const owners = [...registry.values()].flatMap((type) =>
  imageFieldsOf(type).map(({ name: field }) => ({ type, field, column: partColumn(type, field) }))
)

const keyOf = (type: ObjectType, column: string): Definition => ({
  name: type.id === firstType ? `${name}_key` : `${name}_${column}_key`,
  sql: `unique (${column}, part)`
})

export const imageTable: Table = {
  name,
  daily: false,
  columns: [
    ...owners.map(({ column }): Column => ({ name: column, type: "bigint", nullable: true })),
    // From 0 on.
    { name: "part", type: "integer", nullable: false },
    { name: "bytes", type: "bytea", nullable: false }
  ],
  constraints: [
    ...owners.flatMap(({ type, column }): ReadonlyArray<Definition> => [
      keyOf(type, column),
      {
        name: `${name}_${column}_fkey`,
        sql: `foreign key (${column}) references ${type.table} (id) on delete cascade`
      }
    ]),
    { name: `${name}_owner_check`, sql: `check (num_nonnulls(${owners.map(({ column }) => column).join(", ")}) = 1)` }
  ],
  indexes: [],
  triggers: owners.flatMap(({ type, field, column }): ReadonlyArray<Definition> => {
    if (!type.fields[field]!.nullable) return []
    const image = columnOf(type, field)
    return [
      {
        name: `${name}_${column}_remove`,
        sql: `after update of ${image} on ${type.table} for each row when (old.${image} is not null and new.${image} is null) execute function rackwire_remove_image('${column}')`
      }
    ]
  }),
  published: false
}
