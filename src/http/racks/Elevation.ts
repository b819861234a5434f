/** `GET /api/dcim/racks/{id}/elevation/`: the half units of one face of a rack, as a list or as a picture. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import type { View } from "../../inventory/Field.ts"
import { type Contents, contentsOf, deviceType, frameOf, rackType } from "../../rack/Elevation.ts"
import { picture } from "../../rack/Picture.ts"
import { type Frame, halfUnits } from "../../rack/Units.ts"
import { declaring } from "../declare/Endpoint.ts"
import { brief, flag, number, orNull, page, pageOf, record, string, words } from "../declare/Parts.ts"
import { rowOf } from "../objects/Objects.ts"
import { pictureReply, svgType } from "../wire/Picture.ts"
import type { Route } from "../Route.ts"
import { pageBounds, pageLinks } from "../wire/Paging.ts"
import { type Request, publicUrl } from "../wire/Request.ts"
import { type ElevationRequest, elevationQuery, elevationRequest, highlightedBy } from "./ElevationRequest.ts"

const unit = record({
  ...{ id: number, name: string },
  face: record({ value: words("front", "rear"), label: words("Front", "Rear") }),
  ...{ device: orNull(brief), occupied: flag, display: string }
})

const show = declaring(
  {
    summary: "The half units of a face of a rack, or its picture as SVG (render=svg)",
    query: { ...elevationQuery, ...page },
    reply: pageOf(unit)
  },
  (request) =>
    Effect.gen(function* () {
      const rack = yield* rowOf(rackType, request)
      const asked = yield* elevationRequest(request)
      const { view, ...contents } = yield* contentsOf(rack.id, request.base)
      // A hidden device stays: without it, its units would be known.
      const left = contents.devices.find(({ id }) => id === asked.exclude)
      const shown = { ...contents, mounted: contents.mounted.filter(({ id }) => id !== left?.id) }
      if (asked.render === "json") return yield* listed(request, asked, frameOf(rack), shown, view)
      const content = picture(rack, shown, view, {
        ...{ face: asked.face, size: asked.size, base: request.base, canAdd: yield* mayDo(deviceType, "add") },
        highlighted: yield* highlightedBy(asked.highlight, rack.id)
      })
      return pictureReply(content)
    })
)

const labels = { front: "Front", rear: "Rear" } as const

/** A page of the units as NetBox shows them. Of a device that the reader may not view, only `occupied` is shown. */
const listed = Effect.fnUntraced(function* (
  request: Request,
  { face, expandDevices, q }: ElevationRequest,
  frame: Frame,
  { mounted, devices, reservations }: Contents,
  view: View
) {
  const settings = yield* Settings
  const visible = new Set(devices.map(({ id }) => id))
  const found = halfUnits(frame, mounted, reservations, face).filter(
    ({ position, name }) => position.toFixed(1).includes(q) || name.includes(q)
  )
  const bounds = pageBounds(request.url.searchParams, { usual: settings.pageSize, max: settings.pageSizeMax })
  const end = bounds.limit === undefined ? undefined : bounds.offset + bounds.limit
  const results = found.slice(bounds.offset, end).map(({ position, name, device }) => {
    const isShown = device !== undefined && (expandDevices || device.position === position)
    return {
      ...{ id: position, name, face: { value: face, label: labels[face] } },
      device: isShown && visible.has(device.id) ? view.nested("dcim.device", device.id) : null,
      ...{ occupied: isShown, display: name }
    }
  })
  const json = { count: found.length, ...pageLinks(publicUrl(request), bounds, found.length), results }
  return { status: 200, json }
})

export default {
  path: `${rackType.path}:id/elevation/`,
  access: rackType,
  produces: ["application/json", svgType],
  methods: { GET: show }
} satisfies Route
