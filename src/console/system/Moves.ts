/** `/system/moves/`: the reports of moves from NetBox and of comparisons with it. */
import { Effect } from "effect"
import { watching } from "../../http/system/MetricsAccess.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { objectType } from "../../inventory/Registry.ts"
import { moveNotes, moveTable, writtenBy } from "../../move/Report.ts"
import { type Run, lastRuns } from "../../move/state/Runs.ts"
import { verifyResult, verifyTable } from "../../move/Verify.ts"
import { type Html, html } from "../Html.ts"
import { denseTable } from "../frame/DenseTable.ts"
import { framed } from "../frame/Frame.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { capital } from "../value/Title.ts"

/** Most runs that the page shows. */
const runsMax = 20

const show: Handler = (request) =>
  Effect.gen(function* () {
    yield* watching(request)
    const runs = yield* lastRuns(runsMax)
    return yield* framed(request, {
      title: "Moves",
      crumbs: [["System"]],
      main: html`<div class="system-page">
        ${runs.length === 0 ? nothing : runs.map((run) => card(run, request.principal.user?.is_superuser === true))}
      </div>`
    })
  })

const nothing = html`<section class="card" aria-labelledby="h-none">
  <div class="ch"><h2 id="h-none">Nothing was moved yet</h2></div>
  <p class="note">
    <code>rackwire move postgresql://reader:secret@host/netbox --dry-run</code> reads the database of NetBox 3.1 to 4.2,
    and says what would be moved. Without <code>--dry-run</code> it moves everything under its ids.
  </p>
</section>`

/** Findings have values of any object, so only a superuser reads them. */
const card = (run: Run, seesAll: boolean): Html => {
  const { id, time, kind, report } = run
  const [table, notes, result] =
    run.kind === "move"
      ? [moveTable(run.report), moveNotes(run.report), `${number(writtenBy(run.report))} objects were written.`]
      : [verifyTable(run.report), [], verifyResult(run.report)]
  return html`<section class="card" aria-labelledby="run-${id}">
    <div class="ch">
      <h2 id="run-${id}">${kind === "move" ? "Move" : "Comparison"} with NetBox ${report.release}</h2>
      <span class="sub">${timeOf(time)}</span>
    </div>
    <p class="note">${result}</p>
    ${table.length > 2 ? numbers(`Run ${id}`, table) : ""}
    ${
      notes.length === 0 || !seesAll
        ? ""
        : html`<details>
            <summary class="note">Details</summary>
            <pre class="note">${notes.join("\n")}</pre>
          </details>`
    }
  </section>`
}

const numbers = (caption: string, [heads = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>): Html =>
  denseTable(
    caption,
    heads.map((head, at) => html`<th scope="col" class="${at === 0 ? "" : "num"}">${capital(head)}</th>`),
    rows.map(
      ([first = "", ...others]) =>
        html`<tr>
          <th scope="row">${first}</th>
          ${others.map((cell) => html`<td class="num">${number(Number(cell))}</td>`)}
        </tr>`
    )
  )

export default {
  path: "/system/moves/",
  access: objectType("extras.webhook"),
  methods: { GET: show }
} satisfies Route
