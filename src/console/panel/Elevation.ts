/** The faces of a rack, and how much of it is used. On the page of a device they are small, and mark it. */
import { Effect } from "effect"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import type { RowOf } from "../../inventory/Field.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import type Rack from "../../inventory/types/dcim/Rack.ts"
import { contentsOf, deviceType, frameOf, rackType } from "../../rack/Elevation.ts"
import { type Loads, loadsOf, powerUtilization, weightIn } from "../../rack/Loads.ts"
import { picture } from "../../rack/Picture.ts"
import { utilization } from "../../rack/Units.ts"
import { Html, html } from "../Html.ts"
import { pathOf } from "../value/Title.ts"
import { type About, card, drawing } from "./Panel.ts"

type RackRow = RowOf<typeof Rack>

export default drawing("elevation", "side", (panel, about) =>
  Effect.gen(function* () {
    if (!(yield* mayView(deviceType))) return undefined
    if (panel.rack === undefined) return yield* facesOf(about.row as RackRow, about)
    const id = about.row[panel.rack]
    const [rack] = typeof id === "number" ? yield* byIds(rackType, [id]) : []
    return rack === undefined ? undefined : yield* facesOf(rack, about, about.row.id)
  })
)

/** `highlighted`: the device whose page shows the rack, small. */
const facesOf = Effect.fnUntraced(function* (rack: RackRow, { request: { base } }: About, highlighted?: number) {
  const contents = yield* contentsOf(rack.id)
  const view = yield* viewFor(deviceType, contents.devices, base)
  const isSmall = highlighted !== undefined
  const canAdd = !isSmall && (yield* mayDo(deviceType, "add"))
  const used = Math.round(utilization(frameOf(rack), contents.mounted, contents.reservations))
  const marked = new Set(isSmall ? [highlighted] : [])
  const faces = (["front", "rear"] as const).map((face) => {
    const drawn = new Html(picture(rack, contents, view, { face, base, canAdd, highlighted: marked }))
    const file = `${base}${rackType.path}${rack.id}/elevation/?face=${face}&render=svg`
    return html`<figure>
      ${drawn}
      <figcaption><a href="${file}">${face === "front" ? "Front" : "Rear"}</a></figcaption>
    </figure>`
  })
  const name = rackType.display(rack, view)
  return card(
    "elevation",
    isSmall ? "Rack" : "Elevation",
    html`<p class="note links">
        ${isSmall ? html`<a href="${pathOf(rackType, rack.id)}">${name}</a>: ` : ""}${used}&nbsp;% of the units are used
        or reserved.${isSmall ? "" : loadNote(rack, yield* loadsOf(rack.id))}
      </p>
      <div class="elevations${isSmall ? " small" : ""}">${faces}</div>`
  )
})

/** The sentences about power and weight; none about what the rack does not have. */
const loadNote = (rack: RackRow, loads: Loads): string => {
  const power = powerUtilization(loads)
  const unit = rack.max_weight === null ? "kg" : (rack.weight_unit ?? "kg")
  const most = rack.max_weight === null ? "" : ` of at most ${rack.max_weight}\u00a0${unit}`
  return [
    ...(power === undefined ? [] : [` ${power}\u00a0% of the power of its feeds is allocated.`]),
    ...(loads.weight === 0 ? [] : [` It weighs ${weightIn(unit, loads)}\u00a0${unit}${most}.`])
  ].join("")
}
