/** `/<app>/<type>/<id>/edit/`: the form of an object of any type. */
import { Effect, Result } from "effect"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { guardOf } from "../../http/wire/Etag.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { flash } from "../frame/Flash.ts"
import { brokenCells, refusingBroken } from "../fault/BrokenJson.ts"
import { bodyOf, cellsIn, cellsOf, withoutLong } from "../form/Cells.ts"
import { wasIn, withChoices } from "../form/Conflict.ts"
import { type FormState, existing, formState, versionOf } from "../form/FormState.ts"
import { opened, writtenTypes } from "../form/Opened.ts"
import type { SentImages } from "../image/ImageInputs.ts"
import { inTurn, sentForm, takesImages } from "../image/SentForm.ts"
import { pickPage, pickedField, withPicked } from "../pick/PickPage.ts"
import { previewOf } from "../preview/Preview.ts"
import { previewCard } from "../preview/PreviewCard.ts"
import { pathOf } from "../value/Title.ts"

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { form, ...found } = yield* opened(type, request, "change")
      const object = existing(form, found)
      return yield* formState(request, { form, object, cells: withoutLong(object.was) })
    })

const submit =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { fields: sent, images } = yield* sentForm(type, request)
      const { form, ...found } = yield* opened(type, request, "change")
      const now = cellsOf(form, found.row)
      const was = wasIn(form, sent, now)
      const object = { ...found, was, version: sent.get("_version") ?? versionOf(found.row) }
      const cells = withChoices(form, cellsIn(form, sent), sent, { was, now })
      const state = { form, object, cells, images }
      const picking = pickedField(form, sent, "_pick")
      if (picking !== undefined) return yield* pickPage(request, form, picking, sent)
      const picked = pickedField(form, sent, "_picked")
      if (picked !== undefined)
        return yield* formState(request, { ...state, cells: withPicked(picked, sent, cells), focus: picked.name })
      if (sent.has("_again")) return yield* formState(request, { ...state, focus: sent.get("_again") ?? "" })
      return yield* write(request, state, sent)
    })

type Editing = FormState & { readonly object: NonNullable<FormState["object"]>; readonly images: SentImages }

const write = Effect.fnUntraced(function* (request: Request, state: Editing, sent: URLSearchParams) {
  const { form, object, cells, images } = state
  const { type } = form
  const { row } = object
  const now = cellsOf(form, row)
  const change = { id: row.id, body: Object.assign({}, bodyOf(form, now, cells), images) }
  const updating = update(type, [change], false, request.author, guardOf(object.version))
  const changing = refusingBroken(brokenCells(form, now, cells), updating)
  const done = yield* Effect.result(
    sent.has("_preview")
      ? previewOf(
          type,
          request,
          row,
          Effect.map(changing, ([after]) => after ?? row)
        )
      : Effect.as(changing, undefined)
  )
  if (Result.isSuccess(done)) {
    const preview = done.success
    if (preview !== undefined) return yield* formState(request, { ...state, note: previewCard(preview) })
    // A change may leave the object out of what its author may view.
    const isSeen = (yield* byIds(type, [row.id])).length > 0
    const cookies = [flash({ deed: "saved", type })]
    return { ...redirect(pathOf(type, isSeen ? row.id : undefined)), cookies, written: [row.id] }
  }
  const { failure } = done
  if (failure instanceof WriteRefused) return yield* formState(request, { ...state, errors: failure.errors[0] ?? {} })
  if (!(failure instanceof HttpRefused && failure.status === 412)) return yield* failure
  const conflict = { was: object.was, now }
  return yield* formState(request, { ...state, object: { ...object, version: versionOf(row) }, conflict })
})

export default writtenTypes.map((type): Route => ({
  path: `${pathOf(type)}:id/edit/`,
  access: type,
  action: "change",
  keepsForm: true,
  takesFiles: takesImages(type),
  methods: { GET: show(type), POST: inTurn(type, submit(type)) }
}))
