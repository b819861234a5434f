/** `/<app>/<type>/add/`: the form of a new object; `?clone=<id>` fills in what another one has. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Errors, type Messages, type Row, textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { byIds, customFieldsOf } from "../../inventory/read/Read.ts"
import { create } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { flash } from "../frame/Flash.ts"
import { brokenCells, refusingBroken } from "../fault/BrokenJson.ts"
import { type Cells, bodyOf, cellsIn, cellsOf, withOwnSlug, withSlug } from "../form/Cells.ts"
import { clonedCells } from "../form/Clone.ts"
import { type Form, formOf } from "../form/FormField.ts"
import { formState } from "../form/FormState.ts"
import { addedTypes } from "../form/Opened.ts"
import { seriesOf } from "../form/Series.ts"
import { inTurn, sentForm, takesImages } from "../image/SentForm.ts"
import { withQuery } from "../list/Query.ts"
import { type Html, html } from "../Html.ts"
import { pickPage, pickedField, withPicked } from "../pick/PickPage.ts"
import { waitingName, waitingPicker } from "../pick/Waiting.ts"
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
      const { fields: sent, images } = yield* sentForm(type, request)
      const form = formOf(type, yield* customFieldsOf(type), true)
      const cells = withSlug(form, cellsIn(form, sent))
      const picking = pickedField(form, sent, "_pick")
      if (picking !== undefined) return yield* pickPage(request, form, picking, sent)
      const picked = pickedField(form, sent, "_picked")
      if (picked !== undefined)
        return yield* formState(request, { form, images, cells: withPicked(picked, sent, cells), focus: picked.name })
      if (sent.has("_again")) return yield* formState(request, { form, images, cells, focus: sent.get("_again") ?? "" })
      const series = seriesOf(type, cells)
      if ("field" in series)
        return yield* formState(request, { form, images, cells, errors: { [series.field]: [series.message] } })
      const bodies = yield* mapInSlices(series.all, (each) =>
        Object.assign({}, bodyOf(form, {}, withOwnSlug(form, cells, each)), images)
      )
      const creating = create(type, bodies, request.author)
      const making = Effect.map(refusingBroken(brokenCells(form, {}, cells), creating), (made) =>
        made.map(({ row }) => row)
      )
      const answer = sent.has("_preview")
        ? Effect.flatMap(
            previewOf(
              type,
              request,
              undefined,
              Effect.map(making, ([first]) => first)
            ),
            (preview) =>
              formState(request, { form, images, cells, note: html`${namesOf(series.all)}${previewCard(preview)}` })
          )
        : Effect.flatMap(making, (rows) => added(type, rows, sent.has("_another"), request))
      return yield* Effect.catchIf(
        answer,
        (error): error is WriteRefused => error instanceof WriteRefused,
        ({ errors }) => formState(request, { form, images, cells, errors: firstOf(series.all, errors) })
      )
    })

/** The names of several objects, above the preview of the first one. */
const namesOf = (all: ReadonlyArray<Cells>): Html | string =>
  all.length === 1
    ? ""
    : html`<p class="alert-line">
        <b>${all.length} objects:</b> ${all.map(({ name = "" }, at) => html`${at === 0 ? "" : ", "}${name}`)}. The
        preview shows the first one.
      </p>`

/** The errors of the first object that is refused; of several, each message names the object. */
const firstOf = (all: ReadonlyArray<Cells>, errors: ReadonlyArray<Errors>): Errors => {
  const at = errors.findIndex((each) => Object.keys(each).length > 0)
  const first = errors[at] ?? {}
  if (all.length === 1) return first
  return {
    ...first,
    __all__: [...textsIn((first["__all__"] ?? []) as Messages), `The first wrong one is ${all[at]?.["name"]}.`]
  }
}

/** The way on after an object was added: to its page, or to the form of another one like it; after several, to their list. */
const added = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  isAnother: boolean,
  request: Request
) {
  const [{ id }, ...others] = rows as readonly [Row, ...Array<Row>]
  if (others.length > 0) {
    const cookies = [flash({ deed: "added", type, count: rows.length })]
    return { ...redirect(`${pathOf(type)}?ordering=-id`), cookies, written: rows.map((row) => row.id) }
  }
  // Somebody may add what nobody lets them view.
  const isSeen = (yield* byIds(type, [id])).length > 0
  const waiting = waitingPicker(request)
  if (isSeen && !isAnother && waiting !== undefined) {
    const query = new URLSearchParams({ [waitingName]: waiting })
    return { ...redirect(withQuery(`${pathOf(type, id)}picked/`, query)), cookies: [], written: [id] }
  }
  if (isSeen && !isAnother)
    return { ...redirect(pathOf(type, id)), cookies: [flash({ deed: "added", type })], written: [id] }
  const next = `${pathOf(type)}add/${isSeen ? `?clone=${id}` : ""}`
  return { ...redirect(next), cookies: [flash({ deed: "added", type, ...(isSeen && { id }) })], written: [id] }
})

export default addedTypes.map((type): Route => ({
  path: `${pathOf(type)}add/`,
  access: type,
  action: "add",
  keepsForm: true,
  takesFiles: takesImages(type),
  methods: { GET: show(type), POST: inTurn(type, submit(type)) }
}))
