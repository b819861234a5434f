/** More that the endpoint of one object shows, beside the representation of the object. */
import type { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { Declared } from "../declare/Declared.ts"
import { objectWith } from "../declare/Parts.ts"
import type { Services } from "../Route.ts"

export interface Detail {
  readonly type: ObjectType
  readonly declared: Declared
  readonly of: (row: Row) => Effect.Effect<object, SqlError.SqlError, Services>
}

export const detail = <Fields extends Schema.Struct.Fields>(
  type: ObjectType,
  { summary, more }: { readonly summary: string; readonly more: Schema.Struct<Fields> },
  of: (row: Row) => Effect.Effect<Schema.Struct<Fields>["Type"], SqlError.SqlError, Services>
): Detail => ({ type, declared: { summary, reply: objectWith(type, more) }, of })
