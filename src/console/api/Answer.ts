/** The answer of the API on its page: status, headers, JSON, the ways to other formats and pages, and the command. */
import { STATUS_CODES } from "node:http"
import { Effect } from "effect"
import { inward } from "../../http/publish/BasePath.ts"
import { type Browsed, fieldNames } from "../../http/Browse.ts"
import { answerCharsMax, jsonText } from "../../http/wire/JsonText.ts"
import { Listed } from "../../http/wire/Listed.ts"
import type { Origin } from "../../http/wire/Origin.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { changed } from "../list/Query.ts"
import { number } from "../list/Pager.ts"
import { curl } from "./Curl.ts"
import { shownJson } from "./Json.ts"

export const answerCard = Effect.fnUntraced(function* (browsed: Browsed) {
  const { request, reply, method, headers, tookMillis } = browsed
  const { url } = request
  const text = reply.json === undefined ? "" : yield* jsonText(reply.json)
  const { html: json, isCut } = yield* shownJson(beginningOf(text ?? ""))
  const asJson = changed(url.searchParams, { format: "json" })
  const sent = { "content-type": "application/json", ...headers }
  return html`<section class="card" aria-labelledby="answer">
    <div class="ch">
      <h2 id="answer">
        <span class="api-status ${reply.status < 400 ? "api-ok" : "api-bad"}"
          >HTTP ${reply.status} ${STATUS_CODES[reply.status] ?? ""}</span
        >
      </h2>
      <span class="sub"
        >${number(Math.ceil(tookMillis))} ms ·
        ${text === undefined ? "too large" : sizeOf(Buffer.byteLength(text))}</span
      >
      <span class="grow"></span>
      ${formats(browsed, asJson)}
    </div>
    <p class="api-line"><b>${method}</b> <span>${url.pathname + url.search}</span></p>
    <dl class="api-headers">
      ${Object.entries(reply.json === undefined ? headers : sent).map(
        ([name, value]) =>
          html`<div>
            <dt>${name}:</dt>
            <dd>${value}</dd>
          </div>`
      )}
    </dl>
    ${text === undefined ? html`<p class="api-line">The answer has more than ${number(answerCharsMax)} characters. Request fewer objects (limit).</p>` : ""}
    ${text === "" || text === undefined ? "" : html`<pre class="json api-json" tabindex="0" aria-label="The answer as JSON">${json}</pre>`}
    ${isCut ? html`<p class="api-line">This is the beginning. <a href="${asJson}">Open the whole answer</a>.</p>` : ""}
    ${paging(browsed)}
  </section>`
})

/** Bytes from which the page is made: more than it shows. */
const beginningBytes = 1024 * 1024

const beginningOf = (text: string | Buffer): string =>
  typeof text === "string" ? text : text.toString("utf8", 0, beginningBytes)

/** The same request for the command line. */
export const commandCard = ({ request: { url, base }, method, form }: Browsed): Html => {
  const content = method === "OPTIONS" ? undefined : (form.get(fieldNames.content) ?? undefined)
  return html`<section class="card" aria-labelledby="command">
    <div class="ch"><h2 id="command">curl</h2></div>
    <pre class="json" tabindex="0">${curl({ method, url: base + url.pathname + url.search, content })}</pre>
  </section>`
}

/** The same answer as JSON, and a list as a file of every object that it finds. */
const formats = ({ request: { url }, route, method }: Browsed, asJson: string): Html => {
  if (method !== "GET" || route.methods.GET === undefined) return html``
  const isList = typeof route.access !== "string" && route.path === route.access.path
  const file = (format: string) => `${url.pathname}export/${changed(url.searchParams, { format })}`
  return html`<nav class="api-formats" aria-label="Formats">
    <a class="btn btn-sm" href="${asJson}">${icon("code")}JSON</a>
    ${
      isList
        ? html`<a class="btn btn-sm" href="${file("csv")}" download>${icon("download")}CSV</a>
            <a class="btn btn-sm" href="${file("yaml")}" download>${icon("download")}YAML</a>`
        : ""
    }
  </nav>`
}

/** The links to the next and the previous page, as the answer has them. */
const paging = ({ request: { origin }, reply: { json } }: Browsed): Html => {
  if (!isDictionary(json)) return html``
  const { next, previous, count, results } = json
  if (!(results instanceof Listed)) return html``
  const link = (title: string, name: "chevron-left" | "chevron-right", address: unknown) =>
    typeof address === "string"
      ? html`<li class="page-item">
          <a class="page-link" href="${pathIn(address, origin)}"
            >${icon(name)}<span class="visually-hidden">${title}</span></a
          >
        </li>`
      : html`<li class="page-item disabled">
          <span class="page-link">${icon(name)}<span class="visually-hidden">${title}</span></span>
        </li>`
  return html`<div class="tf">
    <span class="sub"
      >${number(results.length)} here${typeof count === "number" ? `, ${number(count)} in all` : ""}</span
    ><span class="grow"></span>
    <nav aria-label="Pages">
      <ul class="pagination pagination-sm m-0">
        ${link("Previous page", "chevron-left", previous)}${link("Next page", "chevron-right", next)}
      </ul>
    </nav>
  </div>`
}

/** The way to an address of ours that stays on the host by which the reader came. */
const pathIn = (address: string, { path }: Origin): string => {
  const { pathname, search } = new URL(address)
  return inward(pathname + search, path)
}

/** 34210 -> `33.4 kB`. */
const sizeOf = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : `${number(Math.round(bytes / 102.4) / 10)} kB`)
