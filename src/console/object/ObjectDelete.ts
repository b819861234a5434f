/** `/<app>/<type>/<id>/delete/`: confirms a deletion, and shows what is deleted with the object or forbids it. */
import { Effect, Result } from "effect"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { Protected } from "../../inventory/write/Protected.ts"
import { remove } from "../../inventory/write/Write.ts"
import { type Html, html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { dependentCards } from "../bulk/DependentCards.ts"
import { dependentsOf } from "../../inventory/read/Dependents.ts"
import { csrfInput } from "../form/Csrf.ts"
import { opened, writtenTypes } from "../form/Opened.ts"
import { previewOf } from "../preview/Preview.ts"
import { previewCard } from "../preview/PreviewCard.ts"
import { nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { waitingNote } from "../webhook/WaitingNote.ts"

interface DeletePage {
  readonly id: number
  readonly display: string
  /** Why it cannot be deleted. */
  readonly problem?: string
  readonly note?: Html
}

const page = Effect.fnUntraced(function* (type: ObjectType, request: Request, asked: DeletePage) {
  const { id, display, problem, note } = asked
  const dependents = yield* dependentsOf(type, [id])
  const isForbidden = dependents.some(({ effect }) => effect === "forbid")
  return yield* framed(request, {
    title: `Delete ${display}`,
    crumbs: [[groupOf(type)], [pluralOf(type), pathOf(type)], [display, pathOf(type, id)]],
    main: html`${problem === undefined ? "" : html`<div class="alert-line alert-bad" role="alert">${problem}</div>`}${note ?? ""}
      <form class="card object-form" method="post">
        ${csrfInput(request)}
        <p>Delete the ${nameOf(type)} <b>${display}</b>? ${lasting(type)}</p>
        ${isForbidden ? html`<p><b>It cannot be deleted</b> while other objects need it: they are listed below.</p>` : ""}
        ${yield* waitingNote(type, [id])}
        <div class="form-end">
          <button class="btn btn-sm btn-danger">${icon("trash")}Delete</button>
          <button class="btn btn-sm" name="_preview" value="1">Preview</button>
          <a class="btn btn-sm" href="${pathOf(type, id)}">Cancel</a>
        </div>
      </form>
      ${dependentCards(dependents)}`,
    status: problem === undefined ? 200 : 409
  })
})

const lasting = ({ kind }: ObjectType): string =>
  kind === "object" ? "The change log can restore it, with another ID." : "This cannot be undone."

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.flatMap(opened(type, request, "delete"), ({ row, display }) => page(type, request, { id: row.id, display }))

const submit =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const sent = yield* readForm(request.incoming)
      const { row, display } = yield* opened(type, request, "delete")
      const asked = { id: row.id, display }
      if (sent.has("_again")) return yield* page(type, request, asked)
      const removing = remove(type, [row.id], request.author)
      const done = yield* Effect.result(
        sent.has("_preview")
          ? previewOf(type, request, row, Effect.as(removing, undefined))
          : Effect.as(removing, undefined)
      )
      if (Result.isFailure(done)) {
        if (!(done.failure instanceof Protected)) return yield* done.failure
        return yield* page(type, request, { ...asked, problem: done.failure.detail })
      }
      const preview = done.success
      return preview === undefined
        ? { ...redirect(pathOf(type)), cookies: [flash({ deed: "deleted", type })], written: [row.id] }
        : yield* page(type, request, { ...asked, note: previewCard(preview) })
    })

export default writtenTypes.map((type): Route => ({
  path: `${pathOf(type)}:id/delete/`,
  access: type,
  action: "delete",
  keepsForm: true,
  methods: { GET: show(type), POST: submit(type) }
}))
