/**
 * `/extras/object-changes/<id>/restore/`: writes the values of an object before a change, for the fields that the
 * reader chooses. A deleted object is made anew, with another id, and so are the objects that were deleted with it.
 */
import { Effect, Result } from "effect"
import { authorize } from "../../auth/Permission.ts"
import { HttpRefused, notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { etagHeader, guardOf } from "../../http/wire/Etag.ts"
import type { Field, Row } from "../../inventory/Field.ts"
import { fieldOf } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { flatFields } from "../../inventory/derive/represent/Flat.ts"
import { snapshot } from "../../inventory/derive/represent/Representation.ts"
import {
  type ChangedField,
  changeType,
  changedFields,
  stateBefore,
  stateLengthMax
} from "../../inventory/read/Changes.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { namedBy } from "../../inventory/restore/Body.ts"
import { update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { type Html, html } from "../Html.ts"
import { changeIn } from "./ChangeIn.ts"
import { objectText } from "./ChangeTable.ts"
import { type Restorable, refusal, restoreDeleted, showDeleted } from "./RestoreDeleted.ts"
import { restoreTable } from "./RestoreTable.ts"
import { csrfInput } from "../form/Csrf.ts"
import { flash } from "../frame/Flash.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

interface Restoring extends Restorable {
  /** Undefined for an object that was deleted. */
  readonly row: Row | undefined
  /** Ids of its tags that the reader may not see: they stay. */
  readonly hiddenTags: ReadonlyArray<number>
}

/** The write of a restore. Fails with 403, with 404 if there is nothing before, or with 409. */
const restoringIn = Effect.fnUntraced(function* (request: Request) {
  const change = yield* changeIn(request)
  const type = registry.get(change.changed_object_type)
  if (type === undefined || type.isReadOnly || change.action === "create") return yield* notFound()
  const isGone = change.action === "delete"
  yield* authorize(request.principal, "POST", isGone ? "add" : "change", type)
  const before = yield* stateBefore(change)
  if (before === undefined) return yield* conflict(`The values have more than ${stateLengthMax} characters.`)
  const [row] = isGone ? [] : yield* byIds(type, [change.changed_object_id], "change")
  if (!isGone && row === undefined) return yield* conflict("The object no longer exists, or you may not change it.")
  const view = yield* viewFor(type, row === undefined ? [] : [row], request.base)
  const now: Readonly<Record<string, unknown>> = row === undefined ? {} : snapshot(type, row, view)
  const tags = Object.hasOwn(type.fields, "tags") ? ((row?.["tags"] ?? []) as ReadonlyArray<number>) : []
  const hiddenTags = tags.filter((id) => view.row("extras.tag", id) === undefined)
  const fields = flatFields(type).flatMap((name): ReadonlyArray<ChangedField> => {
    if (!Object.hasOwn(before, name) || JSON.stringify(now[name]) === JSON.stringify(before[name])) return []
    const side = (value: unknown) => ({ value, cutFrom: undefined })
    return [{ name, isChanged: true, before: side(now[name]), after: side(before[name]) }]
  })
  return { change, type, before, row, fields, hiddenTags } satisfies Restoring
})

const conflict = (detail: string) => new HttpRefused({ reason: "Conflict", body: { detail } })

interface RestorePage extends Omit<Restoring, "row"> {
  readonly row: Row
  readonly chosen: ReadonlySet<string>
  readonly problem?: Html
  readonly status?: number
}

const page = Effect.fnUntraced(function* (
  request: Request,
  { change, type, row, fields, chosen, problem, status }: RestorePage
) {
  const back = pathOf(changeType, change.id)
  const table = yield* restoreTable({ type, fields, chosen }, request.base)
  return yield* framed(request, {
    title: `Restore ${objectText(change)}`,
    crumbs: [[groupOf(changeType)], [pluralOf(changeType), pathOf(changeType)], [`#${change.id}`, back]],
    main:
      fields.length === 0
        ? html`<div class="card">
            <div class="empty"><b>Nothing to restore.</b>The object has these values now.</div>
          </div>`
        : html`${problem ?? ""}
            <form class="card" method="post">
              ${csrfInput(request)}
              <input type="hidden" name="version" value="${etagHeader(row)["etag"] ?? ""}" />
              <p class="note">
                The checked fields get the values from before this change. The fields that it changed are checked.
              </p>
              ${table}
              <div class="form-end note">
                <button class="btn btn-sm btn-primary">${icon("restore")}Restore</button>
                <a class="btn btn-sm" href="${back}">Cancel</a>
              </div>
            </form>`,
    ...(status !== undefined && { status })
  })
})

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { row, ...restoring } = yield* restoringIn(request)
    if (row === undefined) return yield* showDeleted(request, restoring)
    const changed = (yield* changedFields(restoring.change)).filter(({ isChanged }) => isChanged)
    return yield* page(request, { ...restoring, row, chosen: new Set(changed.map(({ name }) => name)) })
  })

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const form = yield* readForm(request.incoming)
    const { row, ...restoring } = yield* restoringIn(request)
    if (row === undefined) return yield* restoreDeleted(request, restoring, form)
    const { type, fields, hiddenTags } = restoring
    const chosen = new Set(form.getAll("field"))
    const body = Object.fromEntries(
      fields.flatMap(({ name, after }) => (chosen.has(name) ? [[name, inputOf(fieldOf(type, name), after.value)]] : []))
    )
    if (Array.isArray(body["tags"])) body["tags"] = [...body["tags"], ...hiddenTags]
    const guard = guardOf(form.get("version") ?? undefined)
    const written = yield* Effect.result(update(type, [{ id: row.id, body }], false, request.author, guard))
    if (Result.isSuccess(written)) {
      return { ...redirect(pathOf(type, row.id)), cookies: [flash({ deed: "saved", type })] }
    }
    const { failure } = written
    if (failure instanceof WriteRefused) {
      return yield* page(request, { ...restoring, row, chosen, problem: refusal(type, failure), status: 400 })
    }
    const isConflict = failure instanceof HttpRefused && failure.status === 412
    return isConflict
      ? yield* page(request, { ...restoring, row, chosen, problem: outdated, status: 412 })
      : yield* failure
  })

/** The input of a write for a value of the log, which has ids of references and names of tags. */
const inputOf = ({ reference }: Field, value: unknown): unknown =>
  reference === undefined || !Array.isArray(value) ? value : value.map((each) => namedBy(reference, each))

const outdated = html`<div class="alert-line" role="alert">
  <b>Somebody else has changed this object since you opened the page. Nothing was restored.</b>
  <div>The values of now are below. Restore again to overwrite them.</div>
</div>`

export default {
  path: `${pathOf(changeType)}:id/restore/`,
  access: changeType,
  action: "view",
  methods: { GET: show, POST: submit }
} satisfies Route
