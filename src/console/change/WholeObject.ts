/** The whole object before and after a change, as JSON. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { indentedJson, indentedMax } from "../../http/wire/Nesting.ts"
import type { ChangedField, Value } from "../../inventory/read/Changes.ts"
import { type Html, html } from "../Html.ts"
import { beginning } from "../value/Value.ts"

/** Most characters of one side. */
const sideLengthMax = 60_000

const sides = [
  ["before", "Before"],
  ["after", "After"]
] as const

export const wholeObject = Effect.fnUntraced(function* (fields: ReadonlyArray<ChangedField>) {
  const shown: Array<Html> = []
  for (const [side, title] of sides) {
    const present = fields.filter((field) => field[side].value !== undefined)
    if (present.length === 0) continue
    const lines = yield* mapInSlices(present, (field) => line(field.name, field[side], field.isChanged))
    shown.push(
      html`<section>
        <h3>${title}</h3>
        <pre class="json" tabindex="0" aria-label="${title}">${within(lines)}</pre>
      </section>`
    )
  }
  return html`<details class="card fold">
    <summary>Whole object</summary>
    <div class="sides">${shown}</div>
  </details>`
})

interface Line {
  readonly text: string
  readonly isChanged: boolean
}

const line = (name: string, { value, cutFrom }: Value, isChanged: boolean): Line => {
  const text =
    cutFrom === undefined ? indentedJson(value, 2, indentedMax.page) : `${String(value)}… (${cutFrom} characters)`
  return { text: `  ${JSON.stringify(name)}: ${text.replaceAll("\n", "\n  ")}`, isChanged }
}

/** The lines, as far as they go into the page. */
const within = (lines: ReadonlyArray<Line>): Html => {
  let left = sideLengthMax
  const shown: Array<Html> = []
  for (const { text, isChanged } of lines) {
    if (left <= 0) {
      shown.push(html` … `)
      break
    }
    const part = beginning(text, left)
    shown.push(isChanged ? html`<mark>${part}</mark>${"\n"}` : html`${part}${"\n"}`)
    left -= text.length
  }
  return html`{${"\n"}${shown}}`
}
