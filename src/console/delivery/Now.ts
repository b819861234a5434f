/** The request that the webhook as it is now would send for the same event, beside the request that was sent. */
import { Effect } from "effect"
import type { SentBody, SentRequest } from "../../history/inspect/SentRequest.ts"
import { isDeeper, nestingMax } from "../../inventory/Unreadable.ts"
import { html } from "../Html.ts"
import { diffTable } from "../change/DiffTable.ts"
import { shownBody } from "../exchange/BodyText.ts"
import { verdict } from "../exchange/Exchange.ts"

/** Longest bodies that are compared, characters: parsing each is one step. */
const comparedCharsMax = 256 * 1024

export const nowView = Effect.fnUntraced(function* (sent: SentRequest, now: SentBody | string) {
  const { body, problem = "" } = sent
  if (body === undefined) return html`<p class="note sub">${problem}</p>`
  if (typeof now === "string") return html`<p class="note sub">Now there would be no body. ${now}</p>`
  if (now.bytes.equals(body.bytes)) {
    return html`<p class="note">${verdict(sent)}</p>
      <p class="note">The webhook as it is now would send the same body, byte for byte.</p>`
  }
  const [before, after] = [body.bytes.toString(), now.bytes.toString()]
  const isLong = Math.max(before.length, after.length) > comparedCharsMax
  const field = {
    ...{ name: "body", isChanged: true },
    before: { value: valueOf(before), cutFrom: undefined },
    after: { value: valueOf(after), cutFrom: undefined }
  }
  const compared = isLong
    ? undefined
    : yield* diffTable([field], { named: () => undefined, titles: { before: "Sent", after: "Now" } })
  return html`<p class="note">${verdict(sent)}</p>
    <p class="note">
      The webhook as it is now would send another
      body.${isLong ? " Both are too long to be compared here." : compared!.count === 0 ? " Only its white space differs, or the order of its members." : ""}
    </p>
    ${compared === undefined || compared.count === 0 ? "" : compared.table}
    <div class="ex">
      <h3>Now</h3>
      ${(yield* shownBody(after, "Body that would be sent now")).shown}
    </div>`
})

/** The value of JSON, or the text where it is none, or too deep. */
const valueOf = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeper(value, nestingMax) ? text : value
  } catch {
    return text
  }
}
