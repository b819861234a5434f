/** `/logging/journeys/`: the latest transactions, and the search for one by what people have in hand. */
import { Effect } from "effect"
import { positionIn, xidClue } from "../../history/explain/Clues.ts"
import { type Clue, type Transaction, countedMax, transactionsOf } from "../../history/explain/Transactions.ts"
import { formatLsn } from "../../event/Lsn.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { type Html, html } from "../Html.ts"
import { denseTable } from "../frame/DenseTable.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { number } from "../list/Pager.ts"
import { inSource } from "../source/ObjectLink.ts"
import { recognise } from "../search/Recognise.ts"
import { timeOf } from "../value/Time.ts"

const path = "/logging/journeys/"

/** Longest text that is searched for, characters. */
const textMax = 100

const show: Handler = (request) =>
  Effect.gen(function* () {
    const text = (request.url.searchParams.get("q") ?? "").trim().slice(0, textMax)
    const clue = text === "" ? undefined : clueOf(text)
    const found = text === "" || clue !== undefined ? yield* transactionsOf(clue) : []
    const [only] = found
    if (clue !== undefined && found.length === 1 && isExact(clue, only!)) {
      return redirect(`${path}${only!.position}/`)
    }
    return yield* framed(request, {
      title: "Journeys",
      crumbs: [[groupOf(changeType)]],
      actions: html`<a class="btn btn-sm" href="/api/extras/journeys/">${icon("code")}API</a>`,
      main: html`${search(text)}${clue?.kind === "lsn" && only !== undefined ? before(clue.lsn, only) : ""}
      ${found.length === 0 ? nothing(text, clue) : table(found, text === "" ? "Latest transactions" : "Transactions")}`
    })
  })

/** A plain number is the id of a change, or of all its digits a position. */
const clueOf = (text: string): Clue | undefined => {
  const [, xid] = /^xid[ =:]*(\d{1,19})$/i.exec(text) ?? []
  if (xid !== undefined) return xidClue(xid)
  const named = recognise(text)
  if (named?.kind === "object") return { kind: "change", id: named.id }
  if (named !== undefined) return named
  const position = positionIn(text)
  return position === undefined ? undefined : { kind: "position", position }
}

const isExact = (clue: Clue, { lsn }: Transaction): boolean => clue.kind !== "lsn" || formatLsn(clue.lsn) === lsn

const search = (text: string): Html =>
  html`<form class="journey-search card" role="search" aria-label="Transactions" action="${path}">
    <label for="clue">LSN, request id, change id, delivery id, or xid and its number</label>
    <div>
      <input
        class="field-in"
        id="clue"
        name="q"
        type="search"
        maxlength="${textMax}"
        autocomplete="off"
        value="${text}"
      />
      <button class="btn btn-primary btn-sm" type="submit">${icon("search")}Find</button>
    </div>
  </form>`

const before = (asked: bigint, { lsn }: Transaction): Html =>
  html`<p class="alert-line" role="status">
    The change log has no commit at ${formatLsn(asked)}. The last one before it is at ${lsn}. A transaction that is not
    captured yet, or that changed no object, is not in the log.
  </p>`

const nothing = (text: string, clue: Clue | undefined): Html =>
  html`<div class="card">
    <div class="empty">
      ${
        text === ""
          ? html`<b>No transaction yet.</b>The change log has no change that you may view.`
          : clue === undefined
            ? html`<b>This is not an LSN or an id.</b>An LSN has the form 0/1980A58, a delivery id like 3-26741400-0, a
                request id is a UUID.`
            : html`<b>No transaction is found.</b>The change log has none that you may view, or it is older than the
                log.`
      }
    </div>
  </div>`

const table = (found: ReadonlyArray<Transaction>, caption: string): Html =>
  html`<section class="card" id="transactions" aria-labelledby="found">
    <div class="ch"><h2 id="found">${caption}</h2></div>
    ${denseTable(
      caption,
      html`<th scope="col">LSN</th>
        <th scope="col">Committed</th>
        <th scope="col">User</th>
        <th scope="col">Changes</th>
        <th scope="col" class="lo">Request</th>`,
      found.map(
        ({ position, lsn, time, user_name: user, source, changes, request_id: request }) =>
          html`<tr>
            <th scope="row"><a class="mono" href="${path}${position}/">${lsn}</a></th>
            <td>${timeOf(time, "second")}</td>
            <td>
              ${user !== "" ? user : source === null ? html`<span class="sub">plain SQL</span>` : ""}${inSource(source ?? undefined)}
            </td>
            <td>${number(changes)}${changes >= countedMax ? " or more" : ""}</td>
            <td class="lo mono">${request.slice(0, 8)}</td>
          </tr>`
      )
    )}
  </section>`

export default { path, access: changeType, methods: { GET: show } } satisfies Route
