/** `/<app>/<type>/edit/`: changes fields of the selected objects, all or none, after a preview. */
import { isDeepStrictEqual } from "node:util"
import { Effect, Result } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { inWritingTime } from "../../http/objects/Limits.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Errors, Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { rolledBack } from "../../inventory/write/Transaction.ts"
import { type Html, html } from "../Html.ts"
import { alert, bulkPage, bulkRoutes, counted, done, movedOn, selectedCard } from "./BulkPage.ts"
import { editOf } from "./Edit.ts"
import { editForm, editLabels } from "./EditForm.ts"
import { type RowChange, editPreview } from "./EditPreview.ts"
import { type Wrong, objectErrors } from "./ObjectErrors.ts"
import { type Selection, markOf, namesOf } from "./Selection.ts"

type Edit = Effect.Success<ReturnType<typeof editOf>>["edit"]

interface Step {
  readonly type: ObjectType
  readonly request: Request
  readonly selected: Selection
  readonly form: URLSearchParams
}

interface Refusal {
  readonly problem: Html
  readonly errors: Errors
}

const formPage = Effect.fnUntraced(function* ({ type, request, selected, form }: Step, refused?: Refusal) {
  const named = yield* namesOf(type, selected.ids, request.base)
  const labels = yield* editLabels(type, form, request.base)
  return yield* bulkPage(type, request, {
    title: `Edit ${counted(type, selected.ids.length)}`,
    main: html`${refused?.problem ?? ""}${editForm({ type, request, selected, form, errors: refused?.errors ?? {}, labels })}
    ${selectedCard(type, selected, named)}`,
    status: refused === undefined ? 200 : 400
  })
})

const previewPage = Effect.fnUntraced(function* (
  step: Step,
  changed: ReadonlyArray<RowChange>,
  mark: string,
  hasMoved: boolean
) {
  return yield* bulkPage(step.type, step.request, {
    title: `Edit ${counted(step.type, changed.length)}`,
    main: html`${hasMoved ? movedOn : ""}${yield* editPreview({ ...step, changed, mark })}`,
    status: hasMoved ? 409 : 200
  })
})

/** Writes the edit to the objects. Fails with 409 if the tags of one are not those that were read. */
const written = ({ type, request }: Step, { body, tagsOf }: Edit, rows: ReadonlyArray<Row>) => {
  const read = new Map(rows.map((row) => [row.id, row]))
  const changes = rows.map((row) => ({ id: row.id, body: { ...body, ...(tagsOf && { tags: tagsOf(row) }) } }))
  return update(type, changes, false, request.author, (locked) => {
    const isSame = locked.every((row) => isDeepStrictEqual(row["tags"], read.get(row.id)?.["tags"]))
    const detail = "Somebody else changed the tags of these objects at the same time. Try again."
    return tagsOf === undefined || isSame ? Effect.void : new HttpRefused({ reason: "Conflict", body: { detail } })
  })
}

/** The objects that the edit would change, found by a trial; or what is wrong with them. */
const tried = Effect.fnUntraced(function* (step: Step, edit: Edit) {
  const { type, selected, request } = step
  const rows = yield* byIds(type, selected.ids, "change")
  const result = yield* Effect.result(inWritingTime(rolledBack(written(step, edit, rows))))
  if (Result.isFailure(result)) {
    if (!(result.failure instanceof WriteRefused)) return yield* result.failure
    const { errors } = result.failure
    const view = yield* viewFor(type, rows, request.base)
    return rows.flatMap(({ id }, at): ReadonlyArray<Wrong> =>
      Object.keys(errors[at] ?? {}).length === 0
        ? []
        : [{ id, display: type.display(rows[at]!, view), errors: errors[at]! }]
    )
  }
  const after = new Map(result.success.map((row) => [row.id, row]))
  const all = yield* mapInSlices(rows, (before) => {
    const then = after.get(before.id) ?? before
    const fields = edit.fields.filter((name) => !isDeepStrictEqual(before[name], then[name]))
    return {
      changed: { before, after: then, fields },
      mark: markOf(fields.map((name) => [name, before[name], then[name]]))
    }
  })
  const changed = all.filter((each) => each.changed.fields.length > 0)
  return {
    changed: changed.map((each) => each.changed),
    mark: markOf(changed.map((each) => [each.changed.before.id, each.mark]))
  }
})

const attempt = Effect.fnUntraced(function* (step: Step) {
  const { type, form } = step
  const { edit, errors } = yield* editOf(type, form)
  if (Object.keys(errors).length > 0) {
    return yield* formPage(step, { problem: nothing("Correct the marked fields."), errors })
  }
  if (edit.fields.length === 0) {
    return yield* formPage(step, { problem: nothing("Fill in a field, or set one empty."), errors: {} })
  }
  const found = yield* tried(step, edit).pipe(Effect.catchTag("OutOfBounds", () => Effect.succeed(undefined)))
  if (found === undefined) {
    return yield* formPage(step, { problem: nothing("You may not give these values to these objects."), errors: {} })
  }
  if (!("changed" in found)) {
    // A value that is wrong by itself is wrong for every object, so the first error is shown beside the field.
    const byField = Object.assign({}, ...found.map((each) => each.errors).toReversed()) as Errors
    return yield* formPage(step, { problem: objectErrors(type, found, form), errors: byField })
  }
  const { changed, mark } = found
  if (changed.length === 0) {
    return yield* formPage(step, { problem: nothing("The selected objects have these values already."), errors: {} })
  }
  const isSame = form.get("previewed") === mark
  if (form.get("step") !== "apply" || !isSame) {
    return yield* previewPage(step, changed, mark, form.get("step") === "apply")
  }
  const rows = yield* inWritingTime(
    written(
      step,
      edit,
      changed.map(({ before }) => before)
    )
  )
  return rows.map(({ id }) => id)
})

const nothing = (why: string): Html => alert(html`<b>Nothing was changed.</b> ${why}`)

export default bulkRoutes(
  "edit",
  "change",
  (type) => (request, selected, form) =>
    Effect.gen(function* () {
      const step = { type, request, selected, form }
      if (!form.has("step") || form.get("step") === "") return yield* formPage(step)
      const result = yield* attempt(step)
      return "status" in result ? result : done("saved", type, request, result)
    })
)
