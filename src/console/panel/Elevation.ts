/** The faces of a rack, and how much of it is used. On the page of a device they are small, and mark it. */
import { Effect } from "effect"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import type { RowOf } from "../../inventory/Field.ts"
import type Rack from "../../inventory/types/dcim/Rack.ts"
import { deviceType, rackType } from "../../rack/Elevation.ts"
import { type Loads, powerUtilization, weightIn } from "../../rack/Loads.ts"
import { html } from "../Html.ts"
import { drawnRacks, faceTitle, movesWithin } from "../rack/RackFigure.ts"
import { pathOf } from "../value/Title.ts"
import { type About, card, drawing } from "./Panel.ts"

type RackRow = RowOf<typeof Rack>

export default drawing("elevation", "side", (panel, about) =>
  Effect.gen(function* () {
    if (!(yield* mayView(deviceType))) return undefined
    if (panel.rack === undefined) return yield* facesOf(about.row.id, about)
    const id = about.row[panel.rack]
    return typeof id === "number" ? yield* facesOf(id, about, about.row.id) : undefined
  })
)

/** `highlighted`: the device whose page shows the rack, small. */
const facesOf = Effect.fnUntraced(function* (id: number, { request }: About, highlighted?: number) {
  const isSmall = highlighted !== undefined
  const { racks, canMove, loads } = yield* drawnRacks([id], request, {
    ...{ faces: ["front", "rear"], isWorkplace: !isSmall, withLoads: !isSmall },
    highlighted: new Set(isSmall ? [highlighted] : [])
  })
  if (racks[0] === undefined) return undefined
  const { rack, name, used, pictures } = racks[0]
  const figures = pictures.map(({ face, drawn }) => {
    const file = `${request.base}${rackType.path}${rack.id}/elevation/?face=${face}&render=svg`
    return html`<figure>
      ${drawn}
      <figcaption><a href="${file}">${faceTitle(face)}</a></figcaption>
    </figure>`
  })
  const shown = html`<div class="elevations${isSmall ? " small" : ""}">${figures}</div>`
  const mayMove = isSmall && (yield* mayDo(deviceType, "change"))
  return card(
    "elevation",
    isSmall ? "Rack" : "Elevation",
    html`<p class="note links">
        ${isSmall ? html`<a href="${pathOf(rackType, rack.id)}">${name}</a>: ` : ""}${used}&nbsp;% of the units are used
        or reserved.${loads === undefined ? "" : loadNote(rack, loads)}
      </p>
      ${movesWithin(request, canMove, shown)}`,
    mayMove
      ? html`<span class="grow"></span><a class="btn btn-sm" href="${pathOf(deviceType, highlighted)}move/">Move</a>`
      : ""
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
