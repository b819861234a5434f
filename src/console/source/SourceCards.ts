/** The cards of a source: how it is read, its gaps, and the changes that NetBox does not record. Pure. */
import type { SourceProgress, SourceReading } from "../../history/source/SourceReading.ts"
import type { Gap } from "../../history/capture/CaptureState.ts"
import type { RowOf } from "../../inventory/Field.ts"
import type Source from "../../inventory/types/extras/Source.ts"
import { type Html, html } from "../Html.ts"
import { card } from "../capture/CaptureCards.ts"
import { walMeter } from "../capture/WalMeter.ts"
import { live } from "../live/Following.ts"
import { number } from "../list/Pager.ts"
import { bytesText } from "../system/Amounts.ts"
import { timeOf } from "../value/Time.ts"
import { beginning, none } from "../value/Value.ts"
import { sourceState } from "./SourceWords.ts"

type SourceRow = RowOf<typeof Source>

/** Most characters of a reason. */
const reasonLengthMax = 500

const megabyte = 1024 * 1024

/** `reading` is undefined if it could not be read. */
export const sourceCards = (source: SourceRow, reading: SourceReading | undefined, silenceMillis: number): Html =>
  html`<div class="panels first">
    <div>
      ${live(
        "reading",
        card("reading", "Reading", reading, ({ progress }) => stateOf(source, progress, silenceMillis))
      )}
    </div>
    <div>
      ${live(
        "gaps",
        card("gaps", "Gaps", reading, ({ gaps }) => gapList(gaps))
      )}${unseen}
    </div>
  </div>`

const stateOf = (source: SourceRow, progress: SourceProgress | null, silenceMillis: number): Html => {
  const { dot, sentence, note } = sourceState(source, progress, silenceMillis)
  return html`<p class="note">
      <span class="state"><span class="dot ${dot}"></span><b>${sentence}</b></span>
      ${note === "" ? "" : html`<span class="sub source-note">${beginning(note, reasonLengthMax)}</span>`}
    </p>
    ${progress === null ? "" : progressOf(source, progress)}`
}

const progressOf = (source: SourceRow, progress: SourceProgress): Html => {
  const { holder, lastChangeAt, lastChangeId, events } = progress
  return html`<dl class="attrs reading">
    <dt>Process</dt>
    <dd class="mono">${holder === "" ? none : holder}</dd>
    ${source.mode === "stream" ? slotOf(source, progress) : ""}
    <dt>Last change</dt>
    <dd>
      ${
        lastChangeAt === null
          ? "none yet"
          : html`${timeOf(lastChangeAt, "second")}
              <div class="sub">change ${lastChangeId ?? ""} of NetBox</div>`
      }
    </dd>
    <dt>Events</dt>
    <dd>${number(events)}</dd>
  </dl>`
}

const slotOf = (source: SourceRow, { confirmedLsn, lagBytes, retainedBytes }: SourceProgress): Html => {
  const bytesMax = source.wal_limit * megabyte
  const danger = "At the limit the slot is dropped, and the gap is filled from the change table."
  return html`<dt>Slot</dt>
    <dd class="mono">${source.slot}</dd>
    <dt>Confirmed LSN</dt>
    <dd class="mono">${confirmedLsn ?? none}</dd>
    <dt>Lag</dt>
    <dd>${lagBytes === null ? none : bytesText(lagBytes)}</dd>
    <dt>Retained WAL</dt>
    <dd>
      ${retainedBytes === null ? none : walMeter({ bytes: retainedBytes, bytesMax, limit: "WAL limit", danger })}
    </dd>`
}

const gapList = (gaps: ReadonlyArray<Gap>): Html =>
  gaps.length === 0
    ? html`<p class="note">No recorded change was lost.</p>`
    : html`<p class="note links">
          In these spans webhooks missed changes, or got changes that a restored backup has undone. A gap is an alarm
          until it is <a href="/system/capture/">acknowledged</a>.
        </p>
        <ul class="gap-list">
          ${gaps.map(
            ({ id, reason, since, until, acknowledged }) =>
              html`<li>
                <span class="state"
                  ><span class="dot ${acknowledged === null ? "bad" : "off"}"></span
                  ><span>${beginning(reason, reasonLengthMax)}</span></span
                >
                <div class="sub">
                  gap ${id}, ${timeOf(since, "second")} to ${until === null ? "now" : timeOf(until, "second")},
                  ${acknowledged === null ? "an alarm" : "acknowledged"}
                </div>
              </li>`
          )}
        </ul>`

/** A source shows what NetBox's change table has (docs of NetBox; measured in its source, 3.1 to 4.6). */
const unseen = html`<section class="card" id="unseen" aria-labelledby="h-unseen">
  <div class="ch"><h2 id="h-unseen">Changes that no source shows</h2></div>
  <p class="note">Rackwire reads NetBox's change table. NetBox writes no row there for:</p>
  <ul class="unseen">
    <li>changes in NetBox's shell (<code>nbshell</code>), in management commands and in migrations;</li>
    <li>plain SQL;</li>
    <li><code>bulk_update()</code> and <code>queryset.update()</code> in scripts and plugins;</li>
    <li>references that NetBox 3 clears when the object that they name is deleted;</li>
    <li>changes before the source was attached.</li>
  </ul>
</section>`
