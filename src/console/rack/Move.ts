/** `/dcim/devices/<id>/move/`: moves a device to other units of its rack, or to another rack of its site. */
import { Effect, Result } from "effect"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { guardOf } from "../../http/wire/Etag.ts"
import type { Request } from "../../http/wire/Request.ts"
import { textsIn } from "../../inventory/Field.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import { byIds, list } from "../../inventory/read/Read.ts"
import { update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { type Contents, deviceType, extentOf, frameOf, rackType } from "../../rack/Elevation.ts"
import { freePositions } from "../../rack/Units.ts"
import { flash } from "../frame/Flash.ts"
import { framed } from "../frame/Frame.ts"
import { groupOf } from "../frame/Menu.ts"
import { versionOf } from "../form/FormState.ts"
import { opened } from "../form/Opened.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { type Place, type Places, moveForms, placeIn } from "./MoveForm.ts"
import { drawnRacks } from "./RackFigure.ts"

/** Most racks of a site that the form offers. */
const racksMax = 500

type Opened = Effect.Success<ReturnType<typeof opened<typeof deviceType>>>

interface Refusal {
  readonly status: number
  readonly reason: string
}

/** `wanted`: the rack and the place that are chosen; the places of the device now, if it is absent. */
const page = Effect.fnUntraced(function* (
  request: Request,
  { row, display }: Opened,
  wanted: Place | undefined,
  refused?: Refusal
) {
  const racks = yield* list(rackType, {
    ...{ where: equalTo(rackType, { site: row.site }), ordering: ["name"], limit: racksMax, offset: 0 }
  })
  const chosen = wanted?.rack ?? row.rack ?? racks[0]?.id
  const rack = racks.find(({ id }) => id === chosen)
  const drawn =
    rack &&
    (yield* drawnRacks([rack.id], request, {
      ...{ faces: ["front", "rear"], isWorkplace: false, highlighted: new Set([row.id]) }
    }))
  const places: Places | undefined = rack && (yield* placesIn(rack, row.id, drawn!.contents.get(rack.id)!))
  const now: Place = {
    rack: row.rack ?? undefined,
    face: row.face === "rear" ? "rear" : "front",
    position: row.position === null ? undefined : Number(row.position)
  }
  return yield* framed(request, {
    title: `Move ${display}`,
    crumbs: [[groupOf(deviceType)], [pluralOf(deviceType), pathOf(deviceType)], [display, pathOf(deviceType, row.id)]],
    main: moveForms({
      ...{ request, id: row.id, version: versionOf(row) ?? "", racks, rack, places, now, wanted },
      ...{ reason: refused?.reason, pictures: drawn?.racks[0]?.pictures ?? [], nameOf: ({ name }) => String(name) }
    }),
    status: refused?.status ?? 200
  })
})

/** The free positions of the rack, as if the device were not in it. */
const placesIn = Effect.fnUntraced(function* (
  rack: Parameters<typeof frameOf>[0],
  device: number,
  { mounted }: Contents
) {
  const others = mounted.filter(({ id }) => id !== device)
  const extent = yield* extentOf(device)
  const free = (face: "front" | "rear") => freePositions(frameOf(rack), others, extent, face)
  return { front: free("front"), rear: free("rear") }
})

const show: Handler = (request) =>
  Effect.gen(function* () {
    const found = yield* opened(deviceType, request, "change")
    const query = request.url.searchParams
    return yield* page(request, found, query.has("rack") ? placeIn(query) : undefined)
  })

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const sent = yield* readForm(request.incoming)
    const found = yield* opened(deviceType, request, "change")
    const { row } = found
    const wanted = placeIn(sent)
    if (sent.has("_again")) return yield* page(request, found, wanted)
    const change = { id: row.id, body: yield* bodyOf(row, wanted) }
    const moving = update(deviceType, [change], false, request.author, guardOf(sent.get("_version") ?? undefined))
    const done = yield* Effect.result(moving)
    if (Result.isSuccess(done)) {
      const isSeen = (yield* byIds(deviceType, [row.id])).length > 0
      const next = pathOf(deviceType, isSeen ? row.id : undefined)
      return { ...redirect(next), cookies: [flash({ deed: "moved", type: deviceType })], written: [row.id] }
    }
    const refused = refusalOf(done.failure)
    return refused === undefined ? yield* done.failure : yield* page(request, found, wanted, refused)
  })

/** The fields of a move. Its location too, where the other rack is in another one: a device has that of its rack. */
const bodyOf = Effect.fnUntraced(function* (row: Opened["row"], { rack, face, position }: Place) {
  const [target] = rack === undefined ? [] : yield* byIds(rackType, [rack])
  const isElsewhere = target !== undefined && row.location !== null && target.location !== row.location
  return {
    ...{ rack: rack ?? null, position: position ?? null, face: position === undefined ? null : face },
    ...(isElsewhere && { location: target.location })
  }
})

/** Why a device was not moved, in the words of the API; undefined for failures of the whole request. */
const refusalOf = (failure: unknown): Refusal | undefined => {
  if (failure instanceof WriteRefused) {
    const texts = Object.values(failure.errors[0] ?? {}).flatMap(textsIn)
    return { status: 400, reason: texts.join(" ") }
  }
  return failure instanceof HttpRefused && failure.status === 412
    ? { status: 412, reason: "Somebody else has changed this device since you opened the page." }
    : undefined
}

export default {
  path: `${pathOf(deviceType)}:id/move/`,
  access: deviceType,
  action: "change",
  keepsForm: true,
  methods: { GET: show, POST: submit }
} satisfies Route
