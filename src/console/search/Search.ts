/** `/search/?q=`: objects of every type whose searched fields hold a text, or that the text names by its shape. */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import { type Html, html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { recognise } from "./Recognise.ts"
import { type SearchResult, find } from "./Find.ts"

/** Longest text that is searched for, characters. */
const textMax = 200

const show: Handler = (request) =>
  Effect.gen(function* () {
    const text = (request.url.searchParams.get("q") ?? "").trim().slice(0, textMax)
    const { found, isComplete } = text === "" ? { found: [], isComplete: true } : yield* find(text, request.base)
    return yield* framed(request, {
      title: text === "" ? "Search" : `Search: ${text}`,
      main: html`${isComplete ? "" : incomplete}${journeyLine(text)}${found.length > 0 ? results(found) : nothing(text, isComplete)}`
    })
  })

/** The way to the transaction that a request id, a delivery id or an LSN names. */
const journeyLine = (text: string): Html => {
  const named = recognise(text)
  return named === undefined || named.kind === "object"
    ? html``
    : html`<p class="links">
        <a href="/logging/journeys/?q=${encodeURIComponent(text)}">${icon("route")} The journey of its transaction</a>
      </p>`
}

const incomplete = html`<p class="alert-line" role="status">
  The search ended before it had read every type. Search in the list of a type, or for a longer text.
</p>`

const results = (found: ReadonlyArray<SearchResult>): Html =>
  html`<div class="tile-grid">
    ${found.map(
      ({ type, objects, more }) =>
        html`<section class="card">
          <div class="ch"><h2>${pluralOf(type)}</h2></div>
          <ul class="rel">
            ${objects.map(({ id, display }) => html`<li><a href="${pathOf(type, id)}">${display}</a></li>`)}
            ${
              more === undefined
                ? ""
                : html`<li>
                    <a href="${pathOf(type)}?${more}"><span class="sub">All that match</span></a>
                  </li>`
            }
          </ul>
        </section>`
    )}
  </div>`

const nothing = (text: string, isComplete: boolean): Html =>
  html`<div class="card">
    <div class="empty">
      ${
        text === ""
          ? html`<b>Search all objects</b>By name, slug, address, description or comment; by id, request id, delivery id
              or LSN.`
          : html`<b>No object matches${isComplete ? "" : " so far"}.</b>Only objects that you may view are searched.`
      }
    </div>
  </div>`

export default { path: "/search/", access: "open", methods: { GET: show } } satisfies Route
