/** The changes that a webhook skipped, grouped by what failed: how many, the newest ones, and the closest miss. */
import type { Skips } from "../../history/explain/Skipped.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { capital, nameOfType, pathOf } from "../value/Title.ts"
import { badge } from "../value/Value.ts"

type Group = Skips["groups"][number]
type Skip = Group["examples"][number]

const gateNames: Readonly<Record<string, string>> = {
  kind: "Event",
  enabled: "Enabled",
  own: "Own health",
  scope: "Scope",
  condition: "Condition"
}

export const skipTable = (skips: Skips): Html =>
  html`<section class="card" id="skipped" aria-labelledby="skipped-by">
      <div class="ch">
        <h2 id="skipped-by">By what failed</h2>
        <span class="sub">${number(skips.skipped)} of ${number(skips.seen)} changes</span>
      </div>
      <ul class="skips">
        ${skips.groups.map((group) => groupPart(group, skips.skipped))}
      </ul>
    </section>
    ${skips.closest === null ? "" : closestCard(skips.closest)}`

const groupPart = ({ gate, cause, outcome, count, first, last, examples }: Group, all: number): Html => {
  const share = Math.max(1, Math.round((count / all) * 100))
  return html`<li>
    <div class="skip-head">
      <b class="skip-count">${number(count)}</b>
      ${badge(gate, gateNames[gate] ?? gate)}
      <span class="mono"
        >${outcome === "undecided" ? "undecided: " : gate === "condition" ? "needs " : ""}${cause}</span
      >
    </div>
    <svg
      class="share"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      width="100%"
      height="4"
      role="img"
      aria-label="${share} percent of skipped changes"
    >
      <rect class="share-bg" width="100" height="4" />
      <rect class="share-is" width="${share}" height="4" />
    </svg>
    <p class="sub">
      ${count === 1 ? timeOf(last, "second") : html`${timeOf(first, "second")} to ${timeOf(last, "second")}`}
    </p>
    <details class="why-more">
      <summary>
        ${examples.length === count ? (count === 1 ? "The change" : "The changes") : `The newest ${examples.length}`}
      </summary>
      <ul class="why plain">
        ${examples.map((skip) => html`<li><span>${skipText(skip)}</span></li>`)}
      </ul>
    </details>
  </li>`
}

const skipText = ({
  object_change: id,
  object_type: type,
  object_id: key,
  display,
  action,
  time,
  reason
}: Skip): Html => {
  const name = `${nameOfType(type)} ${display === "" ? `#${key}` : display}`
  return html`<a href="${pathOf(changeType, id)}">${capital(name)} ${action}d</a>
    <span class="sub">${timeOf(time, "second")}</span><span class="why-text">${reason}</span>`
}

const closestCard = (closest: Skip): Html =>
  html`<section class="card" aria-labelledby="closest">
    <div class="ch"><h2 id="closest">Closest miss</h2></div>
    <ul class="why plain">
      <li><span>${skipText(closest)}</span></li>
    </ul>
  </section>`
