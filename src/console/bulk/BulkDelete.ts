/** `/<app>/<type>/delete/`: confirms the deletion of the selected objects, and shows what is deleted with them. */
import { Effect, Result } from "effect"
import { inWritingTime } from "../../http/objects/Limits.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { Protected } from "../../inventory/write/Protected.ts"
import { remove } from "../../inventory/write/Write.ts"
import { type Html, html } from "../Html.ts"
import { alert, bulkPage, bulkRoutes, counted, done, listOf, movedOn, selectedCard } from "./BulkPage.ts"
import { dependentCards } from "./DependentCards.ts"
import { dependentsOf } from "../../inventory/read/Dependents.ts"
import { type Selection, namesOf, selectionInputs } from "./Selection.ts"
import { icon } from "../frame/Icon.ts"
import { waitingNote } from "../webhook/WaitingNote.ts"

const page = Effect.fnUntraced(function* (type: ObjectType, request: Request, selected: Selection, problem?: Html) {
  const named = yield* namesOf(type, selected.ids, request.base)
  const dependents = yield* dependentsOf(type, selected.ids)
  const count = counted(type, selected.ids.length)
  return yield* bulkPage(type, request, {
    title: `Delete ${count}`,
    main: html`${problem ?? ""}
      <form class="card object-form" method="post">
        ${selectionInputs(request, selected)}
        <p>Delete <b>${count}</b>? The change log can restore each, with another ID.</p>
        ${yield* waitingNote(type, selected.ids)}
        <div class="form-end">
          <button class="btn btn-sm btn-danger" name="confirmed" value="1">${icon("trash")}Delete ${count}</button>
          <a class="btn btn-sm" href="${listOf(type, request)}">Cancel</a>
        </div>
      </form>
      ${dependentCards(dependents)} ${selectedCard(type, selected, named)}`,
    status: problem === undefined ? 200 : 409
  })
})

export default bulkRoutes(
  "delete",
  "delete",
  (type) => (request, selected, form) =>
    Effect.gen(function* () {
      if (!form.has("confirmed")) return yield* page(type, request, selected)
      if (form.get("mark") !== selected.mark) return yield* page(type, request, selected, movedOn)
      const gone = yield* Effect.result(inWritingTime(remove(type, selected.ids, request.author)))
      if (Result.isSuccess(gone)) return done("deleted", type, request, gone.success)
      return gone.failure instanceof Protected
        ? yield* page(type, request, selected, alert(html`<b>Nothing was deleted.</b> ${gone.failure.detail}`))
        : yield* gone.failure
    })
)
