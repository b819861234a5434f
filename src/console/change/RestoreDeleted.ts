/** The page that restores a deleted object with the objects that were deleted with it: a preview first, then the result. */
import { Effect, Result } from "effect"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { inWritingTime } from "../../http/objects/Limits.ts"
import { redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Dictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Change, type ChangedField, changeType } from "../../inventory/read/Changes.ts"
import { changesMax, deletedWith } from "../../inventory/restore/DeletedSet.ts"
import { type RestoreResult, restore } from "../../inventory/restore/Restore.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { type Html, html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { csrfInput } from "../form/Csrf.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { groupOf } from "../frame/Menu.ts"
import { trial } from "../preview/Trial.ts"
import { capital, nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { objectText } from "./ChangeTable.ts"
import { faultsOf, restoredCards } from "./RestoredCards.ts"
import { restoreTable } from "./RestoreTable.ts"

/** A change whose state before can be written again. */
export interface Restorable {
  readonly change: Change
  readonly type: ObjectType
  /** The state before the change. */
  readonly before: Dictionary
  /** The fields of that state which differ from the ones of now. */
  readonly fields: ReadonlyArray<ChangedField>
}

/** Shows what the set with all fields would become. */
export const showDeleted = (request: Request, restorable: Restorable) =>
  preview(request, restorable, new Set(restorable.fields.map(({ name }) => name)))

/** Restores the chosen fields and the objects deleted with it, or previews that. */
export const restoreDeleted = Effect.fnUntraced(function* (
  request: Request,
  restorable: Restorable,
  form: URLSearchParams
) {
  const { type } = restorable
  const chosen = new Set(form.getAll("field"))
  if (form.has("_preview")) return yield* preview(request, restorable, chosen)
  const set = yield* setOf(restorable, chosen)
  const written = yield* Effect.result(inWritingTime(restore(set, request.author)))
  if (Result.isFailure(written)) {
    if (!(written.failure instanceof WriteRefused)) return yield* written.failure
    return yield* formPage(request, restorable, { chosen, top: refusal(type, written.failure), status: 400 })
  }
  const restored = written.success
  const ids = [restored.id, ...[...restored.created, ...restored.reconnected].map(({ id }) => id)]
  if (restored.omitted.length > 0 || set.isCut) {
    return { ...(yield* resultPage(request, restorable, restored, set.isCut)), written: ids }
  }
  return { ...redirect(pathOf(type, restored.id)), cookies: [flash({ deed: "restored", type })], written: ids }
})

const setOf = ({ change, type, before }: Restorable, chosen: ReadonlySet<string>) =>
  deletedWith(change, type, Object.fromEntries(Object.entries(before).filter(([name]) => chosen.has(name))))

const preview = Effect.fnUntraced(function* (request: Request, restorable: Restorable, chosen: ReadonlySet<string>) {
  const set = yield* setOf(restorable, chosen)
  const tried = yield* Effect.result(trial(restore(set, request.author)))
  if (Result.isSuccess(tried)) {
    const cards = restoredCards(tried.success, "preview")
    return yield* formPage(request, restorable, { chosen, below: html`${set.isCut ? cutNote : ""}${cards}` })
  }
  const { failure } = tried
  if (failure instanceof WriteRefused) {
    return yield* formPage(request, restorable, {
      chosen,
      top: problemLine("It cannot be restored so.", restorable.type, failure)
    })
  }
  if (!(failure instanceof HttpRefused && failure.status === 413)) return yield* failure
  const below = html`${set.isCut ? cutNote : ""}
    <p class="note sub">
      A preview of the ${number(set.others.length)} objects that were deleted with it takes too long.
    </p>`
  return yield* formPage(request, restorable, { chosen, below })
})

interface FormParts {
  readonly chosen: ReadonlySet<string>
  readonly top?: Html
  readonly below?: Html
  readonly status?: number
}

const formPage = Effect.fnUntraced(function* (
  request: Request,
  { change, type, fields }: Restorable,
  { chosen, top = html``, below = html``, status }: FormParts
) {
  const table = yield* restoreTable({ type, fields, chosen }, request.base)
  return yield* framed(request, {
    title: `Restore ${objectText(change)}`,
    crumbs: crumbsOf(change),
    main: html`${top}
      <form class="card" method="post">
        ${csrfInput(request)}
        <p class="note">
          Adds the ${nameOf(type)} again, with another ID, and with it the objects that were deleted with it.
        </p>
        ${table}
        <div class="form-end note">
          <button class="btn btn-sm btn-primary">${icon("restore")}Restore</button>
          <button class="btn btn-sm" name="_preview" value="1">Preview</button>
          <a class="btn btn-sm" href="${pathOf(changeType, change.id)}">Cancel</a>
        </div>
      </form>
      ${below}`,
    ...(status !== undefined && { status })
  })
})

const resultPage = (request: Request, { change, type }: Restorable, restored: RestoreResult, isCut: boolean) =>
  framed(request, {
    title: capital(`${objectText(change)} restored`),
    crumbs: crumbsOf(change),
    main: html`<div class="alert-line flash" role="status">
        ${icon("check")}<span
          ><b>${capital(nameOf(type))} restored.</b> Some of what belonged to it was not, or not wholly: see
          below.</span
        >
        <span class="links"><a href="${pathOf(type, restored.id)}">Open it</a></span>
      </div>
      ${isCut ? cutNote : ""}${restoredCards(restored, "done")}`
  })

const crumbsOf = (change: Change) =>
  [
    [groupOf(changeType)],
    [pluralOf(changeType), pathOf(changeType)],
    [`#${change.id}`, pathOf(changeType, change.id)]
  ] as const

const cutNote = html`<p class="note" role="note">
  The transaction changed very much. Only its first ${number(changesMax)} changes, or 8 Mi characters of them, are
  considered.
</p>`

export const refusal = (type: ObjectType, refused: WriteRefused): Html =>
  problemLine("Nothing was restored.", type, refused)

const problemLine = (title: string, type: ObjectType, { errors }: WriteRefused): Html =>
  html`<div class="alert-line" role="alert"><b>${title}</b>${faultsOf(type, errors[0] ?? {})}</div>`
