/** `/<app>/<type>/delete/`: asks before it deletes the selected objects, and tells what goes with them. */
import { Effect, Result } from "effect"
import { inWritingTime } from "../../../http/objects/Limits.ts"
import type { Request } from "../../../http/Route.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { Protected } from "../../../inventory/write/Protected.ts"
import { remove } from "../../../inventory/write/Write.ts"
import { type Html, html } from "../../Html.ts"
import { alert, bulkPage, bulkRoutes, counted, done, listOf, movedOn, selectedCard } from "../../part/bulk/BulkPage.ts"
import { type Dependents, countedMax, dependentsOf } from "../../part/bulk/Dependents.ts"
import { type Selection, namesOf, selectionInputs } from "../../part/bulk/Selection.ts"
import { icon } from "../../part/Icon.ts"
import { fieldTitle, inSentence, pluralOf } from "../../part/Title.ts"

const page = Effect.fnUntraced(function* (type: ObjectType, request: Request, selected: Selection, problem?: Html) {
  const named = yield* namesOf(type, selected.ids, request.base)
  const dependents = yield* dependentsOf(type, selected.ids)
  const count = counted(type, selected.ids.length)
  return yield* bulkPage(type, request, {
    title: `Delete ${count}`,
    main: html`${problem ?? ""}
      <form class="card object-form" method="post">
        ${selectionInputs(request, selected)}
        <p>Delete <b>${count}</b>? This cannot be undone; the change log keeps the last state of each.</p>
        <div class="form-end">
          <button class="btn btn-sm btn-danger" name="confirmed" value="1">${icon("trash")}Delete ${count}</button>
          <a class="btn btn-sm" href="${listOf(type, request)}">Cancel</a>
        </div>
      </form>
      ${effectCard("forbid", "These forbid it", dependents)} ${effectCard("delete", "Deleted as well", dependents)}
      ${effectCard("clear", "Lose the reference", dependents)} ${selectedCard(type, selected, named)}`,
    status: problem === undefined ? 200 : 409
  })
})

const effectCard = (effect: Dependents["effect"], title: string, dependents: ReadonlyArray<Dependents>): Html => {
  const those = dependents.filter((each) => each.effect === effect)
  if (those.length === 0) return html``
  return html`<section class="card" aria-labelledby="effect-${effect}">
    <div class="ch"><h2 id="effect-${effect}">${title}</h2></div>
    <ul class="named">
      ${those.map(
        ({ type, field, count }) =>
          html`<li>
            ${count < countedMax ? counted(type, count) : html`${countedMax} or more ${inSentence(pluralOf(type))}`}
            <span class="sub">by ${inSentence(fieldTitle(field))}</span>
          </li>`
      )}
    </ul>
  </section>`
}

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
