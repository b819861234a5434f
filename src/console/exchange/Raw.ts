/** An exchange as it is on the wire, and its request as a command. */
import { STATUS_CODES } from "node:http"
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import type { SentRequest } from "../../history/inspect/SentRequest.ts"
import { certificateFiles, curlOf, hasHidden } from "../../history/inspect/snippet/Curl.ts"
import { bodyFile, embeddedBytesMax } from "../../history/inspect/snippet/Snippet.ts"
import { type Html, html } from "../Html.ts"
import { beginning } from "../value/Value.ts"
import { copied } from "./Verify.ts"

/** Most characters of one message. */
const messageCharsMax = 60_000

const linesOf = (headers: SentRequest["headers"]): string =>
  headers.map(({ name, value }) => `${name}: ${value}\n`).join("")

const pathOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}

export const rawView = (attempt: LoggedAttempt, { method, url, headers, body, problem }: SentRequest): Html => {
  const { response_status: status, response_headers: answered, response_body: answer } = attempt
  const request = `${method ?? "?"} ${pathOf(url)} HTTP/1.1\n${linesOf(headers)}\n${body === undefined ? `(${problem ?? ""})` : body.bytes.subarray(0, messageCharsMax).toString()}`
  const response = `HTTP/1.1 ${status ?? ""} ${STATUS_CODES[status ?? 0] ?? ""}\n${linesOf(answered)}\n${answer}`
  return html`<div class="ex">
    <h3>Request</h3>
    <pre class="json tall" tabindex="0" aria-label="Request">${beginning(request, messageCharsMax)}</pre>
    <h3>Response</h3>
    ${
      status === null
        ? html`<p class="xn sub">${beginning(attempt.message, 1000)}</p>`
        : html`<pre class="json tall" tabindex="0" aria-label="Response">${beginning(response, messageCharsMax)}</pre>`
    }
  </div>`
}

export const curlView = (sent: SentRequest, download: string): Html => {
  const isFile = sent.body !== undefined && sent.body.bytes.length > embeddedBytesMax
  return html`<div class="ex">
    <p class="xn sub">
      The receiver takes this for the same delivery: its id and signature are those of this attempt.
      ${hasHidden(sent) ? html`Put the credentials in place of <code>***</code>: the log does not keep them.` : ""}
      ${sent.hasCertificate ? html`It reads the client certificate from <code>${certificateFiles.certificate}</code>, and its key from <code>${certificateFiles.key}</code>.` : ""}
      ${sent.hasCutHeaders ? "Headers are missing: the log keeps their beginning alone." : ""}
      ${sent.body === undefined ? html`${sent.problem ?? ""}` : ""}
    </p>
    ${copied("curl", "curl command", curlOf(sent))}
    ${isFile ? html`<p class="xn sub">It reads the body from <a href="${download}" download>${bodyFile}</a>.</p>` : ""}
  </div>`
}
