/** How the signatures of a request are verified: what is signed, with which secret, and programs that do it. */
import type { SentRequest } from "../../history/inspect/SentRequest.ts"
import type { SignatureCheck } from "../../history/inspect/Signatures.ts"
import { bodyFile, subjectOf } from "../../history/inspect/snippet/Snippet.ts"
import { languages } from "../../history/inspect/snippet/Snippets.ts"
import { type Html, html } from "../Html.ts"
import { sizeText } from "../value/Duration.ts"
import { icon } from "../frame/Icon.ts"
import { beginning } from "../value/Value.ts"
import { verdict } from "./Exchange.ts"

/** Most characters of the signed text that are shown. */
const signedCharsMax = 600

interface SnippetChoice {
  readonly language: string | undefined
  readonly scheme: string | undefined
  /** The address of the page with these choices. */
  readonly link: (language: string, scheme: string) => string
  readonly download: string
}

const schemes = { netbox: "X-Hook-Signature", standard: "Standard Webhooks" } as const

export const verifyView = (sent: SentRequest, chosen: SnippetChoice): Html => {
  const { signatures, body, problem, hasCutHeaders } = sent
  if (signatures.length === 0) {
    return html`<p class="note sub">
      ${problem ?? (hasCutHeaders ? "The log holds the beginning of the headers alone, and no signature." : "The request has no signature: the webhook had no secret.")}
    </p>`
  }
  const offered = (["netbox", "standard"] as const).filter((each) => signatures.some(({ scheme }) => scheme === each))
  const scheme = offered.find((each) => each === chosen.scheme) ?? offered.at(-1)!
  const own = signatures.filter((each) => each.scheme === scheme)
  const subject = body?.isMasked === true ? undefined : subjectOf(scheme, signatures, body?.bytes)
  const language = languages.find(({ name }) => name === chosen.language) ?? languages[0]!
  return html`<div class="ex vf">
    ${
      offered.length === 1
        ? ""
        : choices(
            "Scheme",
            offered.map((each) => [schemes[each], each === scheme, chosen.link(language.name, each)])
          )
    }
    <p class="xn">${verdict(sent)}</p>
    ${own.map(signature)} ${signedText(own[0]!, sent)}
    ${
      subject === undefined
        ? html`<p class="note sub">
            ${own[0]!.algorithm === "Ed25519" ? "Verify it with the public key of the webhook's Ed25519 key and a library for Standard Webhooks." : "A program that verifies it needs the body that was sent."}
          </p>`
        : html`${choices(
              "Language",
              languages.map(({ name, title }) => [title, name === language.name, chosen.link(name, scheme)])
            )}
            ${copied("program", `${language.title} program`, language.write(subject))}
            <p class="xn sub">
              Run it with <code>${language.run}</code>. It prints <code>valid</code>, or <code>invalid</code> and
              fails.${subject.body === undefined ? html` It reads the body from <a href="${chosen.download}" download>${bodyFile}</a>.` : ""}
            </p>`
    }
  </div>`
}

const signature = ({ header, algorithm, encoding, value, secret }: SignatureCheck): Html =>
  html`<dl class="hd">
    <div>
      <dt>${header}</dt>
      <dd>${value}</dd>
    </div>
    <div>
      <dt>Algorithm</dt>
      <dd>${algorithm}, ${encoding === "hex" ? "as lower-case hex" : "as base64"}</dd>
    </div>
    <div>
      <dt>Secret</dt>
      <dd>
        ${secret === null ? html`<span class="warnt">${icon("alert-triangle")}neither the current one nor the previous one</span>` : html`<span class="okt">${icon("check")}the ${secret} one</span>`}
      </dd>
    </div>
  </dl>`

const signedText = ({ prefix }: SignatureCheck, { body }: SentRequest): Html => {
  if (body === undefined) return html``
  const what = prefix === "" ? "the body" : "id, timestamp and body, with dots between"
  const bytes = prefix.length + body.bytes.length
  const text = prefix + body.bytes.subarray(0, 4 * signedCharsMax).toString()
  return html`<details open>
    <summary>Signed: ${what} <span class="cnt">${sizeText(bytes)}</span></summary>
    <pre class="json signed" tabindex="0" aria-label="Signed text">${beginning(text, signedCharsMax)}</pre>
  </details>`
}

type Choice = readonly [title: string, isChosen: boolean, address: string]

const choices = (title: string, each: ReadonlyArray<Choice>): Html =>
  html`<nav class="seg" aria-label="${title}">
    <ul>
      ${each.map(
        ([name, isChosen, address]) =>
          html`<li><a href="${address}" ${isChosen ? html` aria-current="true"` : ""}>${name}</a></li>`
      )}
    </ul>
  </nav>`

/** A text with a button that copies it. */
export const copied = (id: string, title: string, text: string): Html =>
  html`<div class="copied">
    <pre class="json" id="${id}" tabindex="0" aria-label="${title}">${text}</pre>
    <button class="btn btn-sm" type="button" data-copy="${id}" hidden>${icon("copy")}Copy</button>
  </div>`
