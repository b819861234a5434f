/**
 * Cells that begin as JSON and are none. A write would take such a cell as a text: in a field without a grammar it would
 * be stored as one, and nobody would learn of the missing bracket.
 */
import { Effect } from "effect"
import type { Errors } from "../../inventory/Field.ts"
import { brokenJson, notJson } from "./InWords.ts"
import { rolledBack } from "../../inventory/write/Transaction.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import type { Cells } from "../form/Cells.ts"
import type { Form, FormField } from "../form/FormField.ts"

const isJson = ({ type }: Form, { name, custom }: FormField): boolean =>
  custom === undefined ? type.fields[name]?.type === "jsonb" : custom.type === "json"

/** `before`: cells that the form does not change, and that are not judged. */
export const brokenCells = (form: Form, before: Cells, cells: Cells): Errors =>
  Object.fromEntries(
    form.fields.flatMap((field) =>
      isJson(form, field) && cells[field.name] !== before[field.name] && brokenJson(cells[field.name]) !== undefined
        ? [[field.name, [notJson]]]
        : []
    )
  )

/** The write; where cells are broken a trial of it, which is refused with these faults and those that it finds itself. */
export const refusingBroken = <A, E, R>(broken: Errors, write: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    if (Object.keys(broken).length === 0) return yield* write
    return yield* rolledBack(write).pipe(
      Effect.andThen(new WriteRefused({ errors: [broken] })),
      Effect.catchIf(
        (error): error is WriteRefused & E => error instanceof WriteRefused,
        ({ errors: [found] }) => new WriteRefused({ errors: [{ ...found, ...broken }] })
      )
    )
  })
