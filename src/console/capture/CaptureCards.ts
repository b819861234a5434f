/** The slot, the publication and the processes that capture. */
import type { Leadership, PublicationState, SlotState } from "../../history/capture/CaptureState.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"
import { none } from "../value/Value.ts"
import { ageText, bytesText } from "../system/Amounts.ts"
import { unavailable } from "../system/Probe.ts"
import { walMeter } from "./WalMeter.ts"

/** A card with a heading, and what it holds; "unavailable" where that could not be read. */
export const card = <A>(id: string, title: string, read: A | undefined, content: (read: A) => Html): Html =>
  html`<section class="card" id="${id}" aria-labelledby="h-${id}">
    <div class="ch"><h2 id="h-${id}">${title}</h2></div>
    ${read === undefined ? html`<p class="note">${unavailable}</p>` : content(read)}
  </section>`

export const slotCard = (slot: SlotState | undefined, readers: Leadership | undefined): Html =>
  card("slot", "Replication slot", slot, (state) =>
    state.exists
      ? html`<dl class="attrs">
          <dt>Name</dt>
          <dd class="mono">${state.name}</dd>
          <dt>Plugin</dt>
          <dd class="mono">${state.plugin ?? ""}</dd>
          <dt>Active</dt>
          <dd>${state.active ? lit("ok", "Yes, a process reads it") : lit("bad", "No, nobody reads it")}</dd>
          <dt>WAL status</dt>
          <dd>
            ${lit(state.walStatus === "reserved" ? "ok" : state.walStatus === "lost" ? "bad" : "warn", state.walStatus ?? "unknown")}
          </dd>
          <dt>Confirmed LSN</dt>
          <dd class="mono">${state.confirmedLsn ?? none}</dd>
          <dt>Restart LSN</dt>
          <dd class="mono">${state.restartLsn ?? none}</dd>
          <dt>End of the WAL</dt>
          <dd class="mono">${state.currentLsn}</dd>
          <dt>Lag</dt>
          <dd>${lagText(readers)}, ${bytesText(state.lagBytes)}</dd>
          <dt>Retained WAL</dt>
          <dd>${retained(state)}</dd>
        </dl>`
      : html`<p class="note"><b>There is no slot ${state.name}.</b> A process with the role capture creates it.</p>`
  )

const lit = (dot: "ok" | "warn" | "bad", text: string): Html =>
  html`<span class="state"><span class="dot ${dot}"></span>${text}</span>`

const lagText = (readers: Leadership | undefined): string =>
  readers?.leader === null || readers === undefined ? "unknown" : durationText(readers.leader.lagMillis)

const retained = ({ retainedBytes, retainedBytesMax }: SlotState): Html => {
  if (retainedBytesMax === null) {
    return html`${bytesText(retainedBytes)}
      <div class="sub">
        <code>max_slot_wal_keep_size</code> sets no limit: the slot is never lost, and the disk may fill up.
      </div>`
  }
  const danger = "Beyond the limit Postgres invalidates the slot, and changes are missed."
  return walMeter({ bytes: retainedBytes, bytesMax: retainedBytesMax, limit: "max_slot_wal_keep_size", danger })
}

export const publicationCard = (publication: PublicationState | undefined): Html =>
  card("publication", "Publication", publication, ({ name, tables, differences }) =>
    differences.length === 0
      ? html`<p class="note">
          <span class="state"
            ><span class="dot ok"></span><code>${name}</code> is as it should be: ${tables} tables, with inserts,
            updates, deletions and truncations.</span
          >
        </p>`
      : html`<div class="note">
          <span class="state"><span class="dot bad"></span><b>${name} is not as declared.</b></span>
          <ul>
            ${differences.map((difference) => html`<li>${difference}</li>`)}
          </ul>
          <span class="sub">The process that captures repairs it within seconds, and notes a gap.</span>
        </div>`
  )

export const leadershipCard = (readers: Leadership | undefined, now: number): Html =>
  card(
    "readers",
    "Processes that capture",
    readers,
    ({ leader, standbys }) =>
      html`<dl class="attrs">
        <dt>Leader</dt>
        <dd>
          ${
            leader === null
              ? html`<span class="state"><span class="dot bad"></span>None: no change is captured</span>`
              : html`<span class="mono">${leader.process}</span>
                  <div class="sub">
                    ${leader.state}, generation
                    ${leader.generation}${leader.since === null ? "" : `, for ${ageText(leader.since, now)}`}
                  </div>
                  ${leader.problem === "" ? "" : html`<div class="c-bad">${leader.problem}</div>`}`
          }
        </dd>
        <dt>Standby</dt>
        <dd>
          ${
            standbys.length === 0
              ? none
              : standbys.map(
                  ({ process, state, problem }) =>
                    html`<div>
                      <span class="mono">${process}</span>
                      <span class="sub">${state}${problem === "" ? "" : `: ${problem}`}</span>
                    </div>`
                )
          }
        </dd>
      </dl>`
  )
