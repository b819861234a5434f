/** The card of a rack: how much of it is used, and the pictures of its faces. */
import { Effect } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import type { RowOf } from "../../inventory/Field.ts"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import type Rack from "../../inventory/types/dcim/Rack.ts"
import { contentsOf, deviceType, frameOf, rackType } from "../../rack/Elevation.ts"
import { picture } from "../../rack/Picture.ts"
import { utilization } from "../../rack/Units.ts"
import { Html, html } from "../Html.ts"

export const rackCard = Effect.fnUntraced(function* (rack: RowOf<typeof Rack>, { base }: Request) {
  if (!(yield* mayView(deviceType))) return html``
  const contents = yield* contentsOf(rack.id)
  const view = yield* viewFor(deviceType, contents.devices, base)
  const canAdd = yield* mayDo(deviceType, "add")
  const used = Math.round(utilization(frameOf(rack), contents.mounted, contents.reservations))
  const faces = (["front", "rear"] as const).map((face) => {
    const drawn = new Html(picture(rack, contents, view, { face, base, canAdd }))
    const file = `${base}${rackType.path}${rack.id}/elevation/?face=${face}&render=svg`
    return html`<figure>
      ${drawn}
      <figcaption><a href="${file}">${face === "front" ? "Front" : "Rear"}</a></figcaption>
    </figure>`
  })
  return html`<section class="card" aria-labelledby="elevation">
    <div class="ch"><h2 id="elevation">Elevation</h2></div>
    <p class="note">${used}&nbsp;% of the units are used or reserved.</p>
    <div class="elevations">${faces}</div>
  </section>`
})
