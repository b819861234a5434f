/** The columns of the list of sources: how each is read, and how far. */
import { Effect } from "effect"
import { Pace } from "../../eventloop/Pace.ts"
import { type SourceProgress, progressOfSources } from "../../history/source/SourceReading.ts"
import type { SourceRow } from "../../history/source/SourceNames.ts"
import type { Row } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { shortened } from "../list/Cell.ts"
import type { Dressing } from "../list/ListColumn.ts"
import { number } from "../list/Pager.ts"
import { bytesText } from "../system/Amounts.ts"
import { timeOf } from "../value/Time.ts"
import { none } from "../value/Value.ts"
import { sourceState } from "./SourceWords.ts"

export const sourceDressing = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
  const sources = rows as ReadonlyArray<SourceRow>
  const found = yield* progressOfSources(sources.map(({ id }) => id))
  const { silenceMillis } = (yield* Pace).presence
  const of =
    (show: (progress: SourceProgress | undefined, source: SourceRow) => Html) =>
    (row: Row): Html =>
      show(found.get(row.id), row as SourceRow)
  const stateOf = (progress: SourceProgress | undefined, source: SourceRow) =>
    sourceState(source, progress ?? null, silenceMillis)
  const bytes = (count: number | null | undefined): Html =>
    html`${count === null || count === undefined ? none : bytesText(count)}`
  return {
    above: html``,
    aboveId: "about-sources",
    before: of((...each) => html`<span class="dot ${stateOf(...each).dot}"></span>`),
    below: of((_, { description }) => (description === "" ? html`` : html`<div class="sub">${description}</div>`)),
    columns: [
      {
        title: "State",
        cell: of((...each) => {
          const { sentence, note } = stateOf(...each)
          return html`<div class="nm">
            ${sentence}${note === "" ? "" : html`<div class="sub">${shortened(note)}</div>`}
          </div>`
        })
      },
      { title: "Lag", cell: of((progress) => bytes(progress?.lagBytes)), isNumber: true, isLess: true },
      { title: "Retained WAL", cell: of((progress) => bytes(progress?.retainedBytes)), isNumber: true, isLess: true },
      {
        title: "Last change",
        cell: of((progress) => (progress?.lastChangeAt ? timeOf(progress.lastChangeAt, "second") : none)),
        isLess: true
      },
      { title: "Events", cell: of((progress) => html`${number(progress?.events ?? 0)}`), isNumber: true, isLess: true }
    ]
  } satisfies Dressing
})
