/** The device at the other end of an interface's path. */
import { Effect } from "effect"
import { isDictionary } from "../../inventory/Field.ts"
import { filter } from "../../inventory/derive/filter/Filter.ts"
import { objectType } from "../../inventory/Registry.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { byIds, list, viewFor } from "../../inventory/read/Read.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, objectOf, string } from "../declare/Parts.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import type { Route } from "../Route.ts"

const deviceType = objectType("dcim.device")
const interfaceType = objectType("dcim.interface")

const missing = new HttpRefused({
  reason: "InvalidBody",
  body: { detail: 'Request must include "peer_device" and "peer_interface" filters.' }
})

const show = endpoint(
  {
    summary: "The device at the other end of an interface's path",
    query: {
      peer_device: described(string, "The name of the interface's device."),
      peer_interface: described(string, "The name of the interface.")
    },
    reply: objectOf(deviceType)
  },
  Effect.fnUntraced(function* (request) {
    const query = request.url.searchParams
    const [device, name] = [query.get("peer_device") ?? "", query.get("peer_interface") ?? ""]
    if (device === "" || name === "") return yield* missing
    const visible = yield* visibleToSender
    // Filters by name ignore case.
    const devices = (yield* named(deviceType, [["name", device]], visible)).filter((row) => row["name"] === device)
    const ids = devices.map(({ id }): readonly [string, string] => ["device_id", `${id}`])
    const peers = ids.length === 0 ? [] : yield* named(interfaceType, [["name", name], ...ids], visible)
    // The interfaces of other members of a virtual chassis are found too.
    const peer = peers.find((row) => row["name"] === name && devices.some(({ id }) => id === row["device"]))
    if (peer === undefined) return yield* notFound()
    const shown = representation(interfaceType, peer, yield* viewFor(interfaceType, [peer], request.base))
    const [end] = (shown["connected_endpoints"] ?? []) as ReadonlyArray<unknown>
    const isInterface = shown["connected_endpoints_type"] === interfaceType.id && isDictionary(end)
    const [far] = isInterface ? yield* byIds(interfaceType, [Number(end["id"])]) : []
    const [found] = far === undefined ? [] : yield* byIds(deviceType, [Number(far["device"])])
    if (found === undefined) return yield* notFound()
    const view = yield* viewFor(deviceType, [found], request.base)
    return { status: 200, json: representation(deviceType, found, view) }
  })
)

/** Most objects of one name that are read: names of devices are unique in their site only. */
const namesMax = 100

const named = (
  type: typeof deviceType,
  query: ReadonlyArray<readonly [string, string]>,
  visible: Effect.Success<typeof visibleToSender>
) => {
  const made = filter(type, query, visible)
  return "errors" in made
    ? Effect.succeed([])
    : list(type, { where: made.where, ordering: ["id"], limit: namesMax, offset: 0 })
}

const route: Route = { path: "/api/dcim/connected-device/", access: deviceType, methods: { GET: show } }
export default route
