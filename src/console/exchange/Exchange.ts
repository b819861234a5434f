/** The request of an attempt and the answer to it, whole. */
import { Effect } from "effect"
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import type { SentRequest } from "../../history/inspect/SentRequest.ts"
import { type Html, html } from "../Html.ts"
import { sizeText } from "../value/Duration.ts"
import { icon } from "../frame/Icon.ts"
import { beginning } from "../value/Value.ts"
import { shownBody } from "./BodyText.ts"
import { answerCode, answerPhrase } from "../delivery/Outcome.ts"

type Headers = LoggedAttempt["request_headers"]

/** Longest value of a header that is shown, characters. */
const valueCharsMax = 4096

export const exchange = Effect.fnUntraced(function* (attempt: LoggedAttempt, sent: SentRequest, download: string) {
  const { response_body: answer, response_headers: headers } = attempt
  const body = sent.body === undefined ? undefined : yield* shownBody(sent.body.bytes.toString(), "Request body")
  const answerBody = yield* shownBody(answer, "Response body")
  return html`<div class="ex">
    <div class="xh">
      <span class="mth">${sent.method ?? "?"}</span><span class="mono">${beginning(sent.url, 2000)}</span>
    </div>
    ${headerList("Request headers", sent.headers)}
    ${sent.hasCutHeaders ? html`<p class="xn sub">The log keeps the beginning of the headers alone.</p>` : ""}
    ${
      sent.body === undefined || body === undefined
        ? html`<p class="note sub">${sent.problem ?? ""}</p>`
        : html`<details open>
            <summary>Request body <span class="cnt">${sizeText(sent.body.bytes.length)}</span></summary>
            <p class="xn">${verdict(sent)}</p>
            ${body.shown}
            ${body.isCut ? html`<p class="xn links"><a href="${download}" download>Download the whole body</a></p>` : ""}
          </details>`
    }
    <div class="xh res">${answerCode(attempt)}<b>${beginning(answerPhrase(attempt), 1000)}</b></div>
    ${attempt.response_status === null ? "" : headerList("Response headers", headers)}
    ${
      attempt.response_status === null
        ? ""
        : html`<details open>
            <summary>Response body <span class="cnt">${sizeText(Buffer.byteLength(answer))}</span></summary>
            ${answer === "" ? html`<p class="xn sub">Empty.</p>` : answerBody.shown}
          </details>`
    }
  </div>`
})

const headerList = (title: string, headers: Headers): Html =>
  html`<details open>
    <summary>${title} <span class="cnt">${headers.length}</span></summary>
    ${
      headers.length === 0
        ? html`<p class="xn sub">None.</p>`
        : html`<dl class="hd">
            ${headers.map(
              ({ name, value }) =>
                html`<div>
                  <dt>${beginning(name, 200)}</dt>
                  <dd>${beginning(value, valueCharsMax)}</dd>
                </div>`
            )}
          </dl>`
    }
  </details>`

/** Whether the body is the one that was sent, and by what that is known. */
export const verdict = ({ body, signatures, hasCutHeaders }: SentRequest): Html => {
  if (body === undefined) return html``
  if (body.isMasked) {
    return doubt("Objects that you may not view are shown by their id alone, so this is not the body that was sent.")
  }
  const origin = body.origin === "event" ? "From the change log" : "Rendered again from the template of that time"
  const secret = signatures.find((each) => each.secret !== null)?.secret
  if (secret !== undefined && secret !== null) {
    return html`<span class="okt">${icon("check")}${origin}; its signature holds with the ${secret} secret.</span>`
  }
  if (signatures.length === 0 && hasCutHeaders) {
    return doubt(`${origin}. The log holds the beginning of the headers alone, and no signature to compare it with.`)
  }
  if (signatures.length === 0) {
    return body.origin === "event"
      ? html`<span class="sub">${origin}. The request has no signature.</span>`
      : doubt(`${origin}. The request has no signature, so nothing shows whether it is the sent request.`)
  }
  const replaced = "the secret was replaced since"
  const differs = body.origin === "event" ? "" : ", or the template gives another text now"
  return doubt(`${origin}. Neither secret of the webhook gives its signature: ${replaced}${differs}.`)
}

const doubt = (text: string): Html => html`<span class="warnt">${icon("alert-triangle")}${text}</span>`
