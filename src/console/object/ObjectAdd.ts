/** `/<app>/<type>/add/`: the form of a new object; `?clone=<id>` fills in what another one has. */
import { Effect } from "effect"
import { notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { byIds, customFieldsOf } from "../../inventory/read/Read.ts"
import { create } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { flash } from "../frame/Flash.ts"
import { brokenCells, refusingBroken } from "../fault/BrokenJson.ts"
import { bodyOf, cellsIn, cellsOf } from "../form/Cells.ts"
import { clonedCells } from "../form/Clone.ts"
import { type Form, formOf } from "../form/FormField.ts"
import { formState } from "../form/FormState.ts"
import { writtenTypes } from "../form/Opened.ts"
import { pickPage, pickedField, withPicked } from "../pick/PickPage.ts"
import { previewOf } from "../preview/Preview.ts"
import { previewCard } from "../preview/PreviewCard.ts"
import { pathOf } from "../value/Title.ts"

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const form = formOf(type, yield* customFieldsOf(type), true)
      const query = request.url.searchParams
      const original = query.get("clone")
      const cells = original === null ? {} : yield* clone(form, original)
      return yield* formState(request, {
        form,
        cells: { ...cellsOf(form, undefined), ...cells, ...cellsIn(form, query) }
      })
    })

const clone = Effect.fnUntraced(function* (form: Form, text: string) {
  const [row] = /^\d{1,15}$/.test(text) ? yield* byIds(form.type, [Number(text)]) : []
  return row === undefined ? yield* notFound() : clonedCells(form, row)
})

const submit =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const form = formOf(type, yield* customFieldsOf(type), true)
      const sent = yield* readForm(request.incoming)
      const cells = cellsIn(form, sent)
      const picking = pickedField(form, sent, "_pick")
      if (picking !== undefined) return yield* pickPage(request, form, picking, sent)
      const picked = pickedField(form, sent, "_picked")
      if (picked !== undefined)
        return yield* formState(request, { form, cells: withPicked(picked, sent, cells), focus: picked.name })
      if (sent.has("_again")) return yield* formState(request, { form, cells, focus: sent.get("_again") ?? "" })
      const creating = create(type, [bodyOf(form, {}, cells)], request.author)
      const making = Effect.map(refusingBroken(brokenCells(form, {}, cells), creating), ([made]) => made!.row)
      const answer = sent.has("_preview")
        ? Effect.flatMap(previewOf(type, request, undefined, making), (preview) =>
            formState(request, { form, cells, note: previewCard(preview) })
          )
        : Effect.flatMap(making, ({ id }) => added(type, id, sent.has("_another")))
      return yield* Effect.catchIf(
        answer,
        (error): error is WriteRefused => error instanceof WriteRefused,
        ({ errors }) => formState(request, { form, cells, errors: errors[0] ?? {} })
      )
    })

/** The way on after an object was added: to its page, or to the form of another one like it. */
const added = Effect.fnUntraced(function* (type: ObjectType, id: number, isAnother: boolean) {
  // Somebody may add what nobody lets them view.
  const isSeen = (yield* byIds(type, [id])).length > 0
  if (isSeen && !isAnother)
    return { ...redirect(pathOf(type, id)), cookies: [flash({ deed: "added", type })], written: [id] }
  const next = `${pathOf(type)}add/${isSeen ? `?clone=${id}` : ""}`
  return { ...redirect(next), cookies: [flash({ deed: "added", type, ...(isSeen && { id }) })], written: [id] }
})

export default writtenTypes.map((type): Route => ({
  path: `${pathOf(type)}add/`,
  access: type,
  action: "add",
  keepsForm: true,
  methods: { GET: show(type), POST: submit(type) }
}))
