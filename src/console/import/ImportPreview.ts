/** The webhooks that would fire for the changes of an import, and how often; found in the transaction of its check. */
import { Clock, Effect } from "effect"
import { contextOf } from "../../event/Event.ts"
import { observedMax } from "../../http/files/write/BatchWriter.ts"
import type { WrittenRow } from "../../http/files/write/Writes.ts"
import type { Request } from "../../http/wire/Request.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import type { Row, View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { representation, snapshot } from "../../inventory/derive/represent/Representation.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { wouldFire } from "../../match/WouldFire.ts"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { pathOf } from "../value/Title.ts"

interface Firing {
  readonly fires: ReadonlyArray<{ readonly id: number; readonly name: string; readonly times: number }>
  /** Webhooks that the reader may not view. */
  readonly hidden: number
  /** The changes that were checked. */
  readonly changes: number
}

const webhookType = objectType("extras.webhook")

export const firingFor = Effect.fnUntraced(function* (changes: ReadonlyArray<WrittenRow>, { author, base }: Request) {
  const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
  const considered: Array<Parameters<typeof wouldFire>[0][number]> = []
  for (const [type, own] of Map.groupBy(changes, (each) => each.type)) {
    const old = yield* statesOf(
      type,
      own.flatMap(({ before }) => before ?? []),
      base
    )
    const fresh = yield* statesOf(
      type,
      own.map(({ after }) => after),
      base
    )
    for (const { before, after } of own) {
      const kind = before === undefined ? ("created" as const) : ("updated" as const)
      const { data, snapshot } = fresh.get(after.id)!
      const context = contextOf({ kind, objectType: type.id, timestamp, ...author })
      const snapshots = { prechange: old.get(after.id)?.snapshot ?? null, postchange: snapshot }
      considered.push({ subject: { type: type.id, kind, data, snapshots, context }, objectId: after.id })
    }
  }
  const { fires, times } = yield* wouldFire(considered, [])
  const seen = yield* byIds(webhookType, fires)
  const named = seen.map(({ id, name }) => ({ id, name: String(name), times: times.get(id)! }))
  return { fires: named, hidden: fires.size - named.length, changes: changes.length } satisfies Firing
})

/** Objects as their events carry them, without counts, for every reader. */
const statesOf = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>, base: string) {
  const view: View = {
    ...(yield* Effect.provideService(viewFor(type, rows, base), Clearance, Clearance.all)),
    counted: () => undefined
  }
  const states = yield* mapInSlices(rows, (row) => ({
    data: representation(type, row, view),
    snapshot: snapshot(type, row, view)
  }))
  return new Map(rows.map(({ id }, at) => [id, states[at]!] as const))
})

export const firingList = ({ fires, hidden, changes }: Firing): Html => {
  if (fires.length + hidden === 0) return html`<p class="note">No webhook would fire.</p>`
  const first = changes < observedMax ? "" : ` Only the first ${number(observedMax)} changes were checked.`
  return html`<section class="card" aria-labelledby="fires">
    <div class="ch"><h2 id="fires">Webhooks that would fire</h2></div>
    <ul class="fires links">
      ${fires.map(({ id, name, times }) => html`<li><a href="${pathOf(webhookType, id)}">${name}</a> ${number(times)} ${times === 1 ? "time" : "times"}</li>`)}
    </ul>
    ${hidden === 0 && first === "" ? "" : html`<p class="sub">${hidden === 0 ? "" : `${number(hidden)} more you may not view.`}${first}</p>`}
  </section>`
}
