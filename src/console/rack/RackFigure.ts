/** A face of a rack as a figure of a page, and the parts by which its devices are moved. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import type { Request } from "../../http/wire/Request.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import { contentsOfAll, deviceType, frameOf, rackType } from "../../rack/Elevation.ts"
import { picture } from "../../rack/Picture.ts"
import { type Face, utilization } from "../../rack/Units.ts"
import { Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { versionOf } from "../form/FormState.ts"

interface Looks {
  readonly faces: ReadonlyArray<Face>
  /** Whether free units lead to the form of a new device, and devices can be moved. */
  readonly isWorkplace: boolean
  /** Whether the loads of the first rack are read. */
  readonly withLoads?: boolean
  readonly highlighted?: ReadonlySet<number>
}

export const faceTitle = (face: Face): string => (face === "front" ? "Front" : "Rear")

/**
 * The faces of the racks of these ids that the reader may view, drawn, with how much of each is used. One statement, drawn
 * in slices.
 */
export const drawnRacks = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  { base }: Pick<Request, "base">,
  { faces, isWorkplace, withLoads = false, highlighted = new Set() }: Looks
) {
  const canAdd = isWorkplace && (yield* mayDo(deviceType, "add"))
  const canMove = isWorkplace && (yield* mayDo(deviceType, "change"))
  const read = yield* contentsOfAll(ids, base, { withChangeable: canMove, withLoads })
  const { contents, view, changeable, loads } = read
  // In the order of the request.
  const racks = ids.flatMap((id) => read.racks.filter((rack) => rack.id === id))
  const devices = racks.flatMap(({ id }) => contents.get(id)!.devices)
  const versions = devices.flatMap((row) => (changeable.has(row.id) ? [[row.id, versionOf(row) ?? ""] as const] : []))
  const movable = canMove ? new Map(versions) : undefined
  const pictures = yield* mapInSlices(
    racks.flatMap((rack) => faces.map((face) => ({ rack, face }))),
    ({ rack, face }) =>
      new Html(picture(rack, contents.get(rack.id)!, view, { face, base, canAdd, highlighted, movable }))
  )
  return {
    contents,
    loads,
    canMove: versions.length > 0,
    racks: racks.map((rack, at) => {
      const { mounted, reservations } = contents.get(rack.id)!
      return {
        rack,
        name: rackType.display(rack, view),
        used: Math.round(utilization(frameOf(rack), mounted, reservations)),
        pictures: faces.map((face, n) => ({ face, drawn: pictures[at * faces.length + n]! }))
      }
    })
  }
})

/**
 * Pictures whose devices can be moved by a script (rack-move.js): with the token of its form, and the place where it says
 * what happens. Without scripts, the page of a device leads to a form.
 */
export const movesWithin = (request: Request, canMove: boolean, pictures: Html): Html =>
  canMove
    ? html`<div data-rack-moves>
        <p class="note moves" data-moves-help hidden>
          To move a device, drag it to a free unit, or focus it and press <kbd>m</kbd>.
        </p>
        <p class="note moves" role="status" data-moves-said></p>
        <form hidden>${csrfInput(request)}</form>
        ${pictures}
      </div>`
    : pictures
