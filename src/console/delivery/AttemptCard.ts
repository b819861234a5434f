/** One attempt of a delivery: its exchange, how it is verified, its text, or the command that repeats it. */
import { Effect } from "effect"
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import type { Request } from "../../http/wire/Request.ts"
import { parameterOf } from "../../http/query/Parameter.ts"
import { bodyNowFor, sentRequestFor } from "../../http/webhooks/SentRequests.ts"
import type { Row } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"
import { exchange } from "../exchange/Exchange.ts"
import { nowView } from "./Now.ts"
import { answerCode } from "./Outcome.ts"
import { phaseTable, receiverMillis } from "./Phases.ts"
import { curlView, rawView } from "../exchange/Raw.ts"
import { verifyView } from "../exchange/Verify.ts"

const views = { exchange: "Exchange", verify: "Verify", now: "Now", curl: "curl", raw: "Raw" } as const

type ViewName = keyof typeof views

const isView = (name: string | undefined): name is ViewName => name !== undefined && Object.hasOwn(views, name)

interface CardParts {
  readonly row: Row
  readonly path: string
  readonly attempt: LoggedAttempt
  readonly waited: { readonly title: string; readonly millis: number }
}

/** The card of the attempt, in the view that the address names. */
export const attemptCard = Effect.fnUntraced(function* (request: Request, { row, path, attempt, waited }: CardParts) {
  const query = request.url.searchParams
  const asked = parameterOf(query, "view")
  const view = isView(asked) ? asked : "exchange"
  const sent = yield* sentRequestFor(request, row, attempt)
  const link = (more: Readonly<Record<string, string>>) =>
    `${path}?${new URLSearchParams({ attempt: `${attempt.number}`, ...more })}`
  const download = `${path}body/?attempt=${attempt.number}`
  const own = receiverMillis(attempt)
  const content =
    view === "exchange"
      ? yield* exchange(attempt, sent, download)
      : view === "raw"
        ? rawView(attempt, sent)
        : view === "curl"
          ? curlView(sent, download)
          : view === "now"
            ? yield* nowView(sent, yield* bodyNowFor(request, row))
            : verifyView(sent, {
                language: parameterOf(query, "language"),
                scheme: parameterOf(query, "scheme"),
                link: (language, scheme) => link({ view, language, scheme }),
                download
              })
  return html`<section class="card" id="attempt" aria-labelledby="h-attempt">
    <div class="ch">
      <h2 id="h-attempt">Attempt ${attempt.number}</h2>
      ${answerCode(attempt)}
      <span class="sub"
        >${durationText(attempt.duration_ms)}${own === undefined ? "" : `, of which the receiver ${durationText(own)}`}</span
      >
      <span class="grow"></span>
      ${tabs(view, (name) => link(name === "exchange" ? {} : { view: name }))}
    </div>
    ${content}${view === "exchange" ? phaseTable(attempt, waited) : ""}
  </section>`
})

const tabs = (current: ViewName, link: (name: ViewName) => string): Html =>
  html`<nav class="seg" aria-label="Views of the attempt">
    <ul>
      ${(Object.keys(views) as ReadonlyArray<ViewName>).map(
        (name) =>
          html`<li>
            <a href="${link(name)}" ${name === current ? html` aria-current="true"` : ""}>${views[name]}</a>
          </li>`
      )}
    </ul>
  </nav>`
