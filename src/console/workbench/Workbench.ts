/** `/extras/webhooks/workbench/`: what the webhook in a form would do with a real change. Writes and sends nothing. */
import { parseExactly } from "../../postgres/ExactJson.ts"
import { Effect, Result } from "effect"
import { historyOf } from "../../history/explain/History.ts"
import type { Draft, Fault, Trial } from "../../history/inspect/Trial.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { draftOf, trialOf, trialOfPasted } from "../../http/webhooks/Trial.ts"
import { TryOutLimits } from "../../http/webhooks/TryOutLimits.ts"
import { readForm } from "../../http/wire/Body.ts"
import { type Dictionary, isDictionary } from "../../inventory/Field.ts"
import { eventPath } from "../../inventory/derive/represent/EventPaths.ts"
import { conditionWarnings } from "../../inventory/derive/represent/ConditionWarnings.ts"
import { templateWarnings } from "../../inventory/derive/represent/TemplateWarnings.ts"
import { byIds, customFieldsOf } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { shownJson } from "../api/Json.ts"
import { clauseList } from "../explain/Clauses.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { bodyOf, cellsIn, withPlainBreaks } from "../form/Cells.ts"
import { formOf } from "../form/FormField.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { fieldTitle, nameOfType, pathOf } from "../value/Title.ts"
import { beginning } from "../value/Value.ts"
import { webhookType } from "../webhook/Opened.ts"
import { warningLine } from "../webhook/Warnings.ts"
import { workbenchPath } from "./Pane.ts"
import { changeType } from "../../inventory/read/Changes.ts"

/** Most characters of a text that is no JSON. */
const textCharsMax = 20_000

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const sent = yield* readForm(request.incoming)
    const found = yield* Effect.result(contentOf(request, sent))
    if (Result.isFailure(found) && !(found.failure instanceof HttpRefused)) return yield* found.failure
    const content = Result.isSuccess(found) ? found.success : refusal(found.failure as HttpRefused, sent)
    if (request.incoming.headers["hx-request"] === undefined) {
      return yield* framed(request, { title: "Workbench", crumbs: [["Webhooks", pathOf(webhookType)]], main: content })
    }
    return { status: 200, headers: { "cache-control": "no-store" }, text: { type: "text/html", content: content.text } }
  })

const contentOf = Effect.fnUntraced(function* (request: Request, sent: URLSearchParams) {
  const { limited } = yield* TryOutLimits
  yield* limited(request)
  const form = formOf(webhookType, yield* customFieldsOf(webhookType))
  const typed = bodyOf(form, {}, cellsIn(form, sent))
  const fields: Dictionary = isDictionary(typed) ? typed : {}
  const id = /^\d{1,15}$/.exec(sent.get("_webhook") ?? "")?.[0]
  const draft = yield* draftOf(fields, id === undefined ? undefined : Number(id))
  if (sent.has("_history")) {
    const [saved] = draft.id === undefined ? [] : yield* byIds(webhookType, [draft.id])
    const history = yield* historyOf(draft, saved && { ...saved, enabled: true })
    return historyLine(history)
  }
  const pasted = sent.get("_event")?.trim() ?? ""
  if (pasted !== "") {
    const trial = yield* trialOfPasted(request, draft, jsonOf(pasted))
    return html`${keptChoice(sent)}${matches(trial, draft)}${yield* requestCard(trial, draft)}`
  }
  const change = /^\d{1,15}$/.exec(sent.get("_change") ?? "")?.[0]
  const { choices, found } = yield* trialOf(request, draft, change === undefined ? undefined : Number(change))
  if (found === undefined) {
    return html`<section class="card">
      <div class="ch"><h2>Workbench</h2></div>
      <p class="note sub">
        ${draft.content_types.length === 0 ? "Choose object types first." : draft.source === null ? "There is no change of these object types yet." : noneOfSource}
      </p>
    </section>`
  }
  const { change: chosen, trial } = found
  return html`<section class="card" aria-labelledby="wb-change">
      <div class="ch"><h2 id="wb-change">With this change</h2></div>
      <p class="note links">
        <label class="visually-hidden" for="_change">Change</label>
        <select class="field-in" id="_change" name="_change">
          ${choices.map(
            ({ change_id: each, action, object_type: type, display, event_time: time }) =>
              html`<option value="${each}" ${each === chosen.change_id ? html` selected` : ""}>
                ${time.slice(0, 19).replace("T", " ")} ${nameOfType(type)} ${beginning(display, 60)} ${action}d
              </option>`
          )}
        </select>
        <a class="sub" href="${pathOf(changeType, Number(chosen.change_id))}" target="_blank"
          >Change #${chosen.change_id}</a
        >
      </p>
    </section>
    ${matches(trial, draft)}${yield* requestCard(trial, draft)}`
})

const noneOfSource =
  "The source has recorded no change of these object types since it was attached. Change such an object in NetBox, or paste an event below."

/** Undefined if it is none. A form has at most 256 KiB, so that parsing is a short step of the event loop. */
const jsonOf = (text: string): unknown => {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

/** The change that is tried again once the pasted event is gone. */
const keptChoice = (sent: URLSearchParams): Html =>
  html`<input type="hidden" name="_change" value="${sent.get("_change") ?? ""}" />`

const matches = ({ verdict }: Trial, draft: Draft): Html => {
  const warnings = draft.source === null ? conditionWarnings(draft.content_types, draft.conditions, { eventPath }) : []
  const fires = verdict.outcome === "fired"
  return html`<section class="card" aria-labelledby="wb-fires">
    <div class="ch">
      <h2 id="wb-fires">${fires ? "It fires" : "It does not fire"}</h2>
      <span class="lbl ${fires ? "lbl-ok" : "lbl-warn"}">${icon(fires ? "check" : "x")}${verdict.outcome}</span>
    </div>
    ${warnings.map(warningLine)}${verdict.reason === "" ? "" : html`<p class="note">${verdict.reason}</p>`}
    <ul class="why">
      ${clauseList(verdict)}
    </ul>
    <div class="note" id="wb-history">
      <button
        class="btn btn-sm"
        type="submit"
        name="_history"
        value="1"
        formaction="${workbenchPath}"
        formtarget="_blank"
        hx-post="${workbenchPath}"
        hx-include="closest form"
        hx-target="#wb-history"
        hx-swap="innerHTML"
      >
        ${icon("history")}Count the last 24 hours
      </button>
    </div>
  </section>`
}

const requestCard = Effect.fnUntraced(function* ({ method, url, headers, body, faults }: Trial, draft: Draft) {
  const isJson = body !== undefined && parses(body)
  return html`<section class="card" aria-labelledby="wb-request">
    <div class="ch"><h2 id="wb-request">The request</h2></div>
    ${faults.map(faultLine)}${unknownNames(draft)}
    ${url === undefined ? "" : html`<p class="note mono"><span class="mth">${method}</span>${beginning(url, 500)}</p>`}
    ${
      headers === undefined
        ? ""
        : html`<dl class="attrs mono small">
            ${Object.entries(headers).map(
              ([name, value]) =>
                html`<dt>${name}</dt>
                  <dd>${beginning(value, 500)}</dd>`
            )}
          </dl>`
    }
    ${
      body === undefined
        ? ""
        : html`<p class="note sub">${number(Buffer.byteLength(body))} bytes${isJson ? ", valid JSON" : ", no JSON"}</p>
            <pre class="json" tabindex="0" aria-label="Body">
${isJson ? (yield* shownJson(body)).html : beginning(body, textCharsMax)}</pre>`
    }
  </section>`
})

const templateFields = ["payload_url", "additional_headers", "body_template"] as const

/** The names in templates that no event has: they print nothing, and the trial alone would not show why. */
const unknownNames = (draft: Draft): Html =>
  html`${(draft.source === null ? templateFields : []).flatMap((name) =>
    templateWarnings(draft.content_types, draft[name]).map(
      ({ line, column, message }) =>
        html`<p class="alert-line alert-warn">
          <b>${fieldTitle(name)}, line ${line}, column ${column}:</b> ${message}
        </p>`
    )
  )}`

const faultLine = ({ field, message, line, column, snippet }: Fault): Html =>
  html`<div class="alert-line alert-bad" role="alert">
    <b>${fieldTitle(field)}:</b> ${message}
    ${
      line === undefined || snippet === undefined || column === undefined
        ? ""
        : html`<pre class="json">
${beginning(snippet, 300)}
${`${" ".repeat(Math.min(Math.max(column - 1, 0), 300))}^`}</pre>`
    }
  </div>`

/** Longest body that is parsed to see whether it is JSON, characters: parsing is one step of the event loop. */
const parsedCharsMax = 1024 * 1024

const parses = (text: string): boolean => text.length <= parsedCharsMax && jsonOf(text) !== undefined

const historyLine = ({
  fired,
  saved,
  changes,
  partial,
  gained,
  lost
}: Effect.Success<ReturnType<typeof historyOf>>): Html => {
  const list = (title: string, { count, changes: named }: typeof gained): Html =>
    count === 0
      ? html``
      : html`<details>
          <summary>${title}: ${number(count)}</summary>
          <ul class="rel">
            ${named.map(
              ({ object_change: id, display, action, reason }) =>
                html`<li>
                  <a href="${pathOf(changeType, id)}" target="_blank"
                    >${display} ${action}d<span class="sub">&nbsp;${reason}</span></a
                  >
                </li>`
            )}
          </ul>
        </details>`
  return html`<p role="status">
      It would have fired <b>${number(fired)}</b> ${fired === 1 ? "time" : "times"} in the last 24
      hours${saved === null ? "" : ` (${number(saved)} as saved)`}, of ${number(changes)}
      changes${partial ? ", the newest; there are more" : ""}.
    </p>
    ${list("Gained", gained)}${list("Lost", lost)}`
}

const refusal = ({ body }: HttpRefused, sent: URLSearchParams): Html => {
  const messages = Object.entries(body as Readonly<Record<string, unknown>>).map(([name, texts]) => {
    const input = withPlainBreaks(sent.get(name) ?? "")
    const messages = [texts].flat().map(String)
    return `${name === "detail" ? "" : `${fieldTitle(name)}: `}${inWordsAll({ type: webhookType, name, messages, input })}`
  })
  return html`<section class="card">
    <div class="ch"><h2>Workbench</h2></div>
    ${messages.map((message) => html`<div class="alert-line alert-bad" role="alert">${message}</div>`)}
  </section>`
}

export default { path: workbenchPath, access: webhookType, action: "view", methods: { POST: submit } } satisfies Route
