/**
 * A service with objects that a user may see and others that the user may not see. Two of them, made with different
 * secrets, differ in hidden objects alone: in their names, in the state of a cable, in transactions beside the visible
 * ones. Visible objects have the same ids in both.
 */
import { type Api, startApi } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Json, named } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type User, makeUser } from "./Users.ts"

/** The hidden part of a world. */
export interface Secret {
  /** Part of the name of every hidden object. */
  readonly word: string
  readonly cable: "connected" | "planned"
  /** Hidden objects that are made at the end, in one transaction. */
  readonly more: number
  /** Whether a hidden tag is made in the transaction of a visible one. */
  readonly isBeside: boolean
}

export interface SeenWorld {
  readonly api: Api
  readonly receiver: Receiver
  /** Users of the same rights: each may try out only so much at once. The first one is the scope of a webhook. */
  readonly readers: ReadonlyArray<User>
  /** Ids of what the user may see. */
  readonly sites: ReadonlyArray<number>
  readonly devices: ReadonlyArray<number>
  readonly interfaces: ReadonlyArray<number>
  readonly webhooks: ReadonlyArray<number>
  readonly changes: ReadonlyArray<number>
  readonly deliveries: ReadonlyArray<number>
  /** Positions of the transactions with visible changes. */
  readonly positions: ReadonlyArray<string>
  /** A text without what differs between two services: addresses, times, positions and random values. */
  readonly plain: (text: string) => string
  readonly stop: () => Promise<void>
}

/** Objects that the user may see have names that begin so. */
const seen = "Seen"

const readersCount = 11

/** Longer than a delivery carries, so that the body is loaded from the change log. */
const longText = "x".repeat(20_000)

export const makeSeenWorld = async ({ word, cable, more, isBeside }: Secret): Promise<SeenWorld> => {
  const receiver = await startReceiver()
  const api = await startApi()
  const send = async (method: string, path: string, body: unknown): Promise<Json> => {
    const reply = await api.call<Json>(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`)
    // One after another, so that deliveries have the same ids in both worlds.
    await caughtUp(api.database)
    return reply.json
  }
  const make = async (path: string, body: Json): Promise<number> => Number((await send("POST", path, body))["id"])
  const change = (path: string, id: number, body: Json) => send("PATCH", `${path}${id}/`, body)
  const view = (types: ReadonlyArray<string>, constraints?: Json) => ({ types, actions: ["view"], constraints })
  const writable = ["extras.webhook", "dcim.site"]
  const whole = ["dcim.device", "dcim.interface", "tenancy.contactassignment", "extras.webhook", "extras.objectchange"]
  const grants = [
    view([...whole, "extras.delivery", "dcim.manufacturer"]),
    { types: writable, actions: ["add", "change"] },
    view(["dcim.site", "extras.tag", "tenancy.tenant", "tenancy.contact"], { name__startswith: seen }),
    view(["dcim.devicetype"], { model__startswith: seen })
  ]
  const readers: Array<User> = []
  for (let at = 0; at < readersCount; at++) readers.push(await makeUser(api, `eve${at}`, ...grants))
  const eve = readers[0]!
  const hook = (name: string, fields: Json) =>
    make("/api/extras/webhooks/", {
      ...{ name, payload_url: receiver.url, type_create: true, type_update: true, max_in_flight: 1 },
      ...fields
    })
  const types = ["dcim.site", "dcim.device", "dcim.interface", "tenancy.contactassignment"]
  const scoped = await hook("Scoped", { content_types: types, scope_user: eve.id })
  const never = { attr: "name", value: "Never" }
  const guess = { attr: "tenant.name", op: "regex", value: "^alpha" }
  const watching = await hook("Watching", {
    content_types: ["dcim.site"],
    conditions: { and: [guess, never] }
  })
  const [hiddenTag, seenTag] = [
    await make("/api/extras/tags/", named(word)),
    await make("/api/extras/tags/", named(`${seen} tag`))
  ]
  const pair = [named(`${seen} second`), named(`${word} second`)]
  for (const each of isBeside ? [pair] : pair.map((tag) => [tag])) await send("POST", "/api/extras/tags/", each)
  const tenant = await make("/api/tenancy/tenants/", named(word))
  const contact = await make("/api/tenancy/contacts/", { name: word })
  const maker = await make("/api/dcim/manufacturers/", named("Maker"))
  const modelOf = (model: string) => ({ model, slug: model.toLowerCase(), manufacturer: maker })
  const model = await make("/api/dcim/device-types/", modelOf(word))
  const role = await make("/api/dcim/device-roles/", named(`${word} role`))
  const site = await make("/api/dcim/sites/", { ...named(`${seen} one`), tenant, tags: [hiddenTag, seenTag] })
  const other = await make("/api/dcim/sites/", named(`${seen} other`))
  await make("/api/dcim/sites/", { ...named(`${word} site`), tags: [hiddenTag] })
  await change("/api/dcim/sites/", site, { tags: [seenTag] })
  await change("/api/dcim/sites/", site, { comments: longText, tags: [hiddenTag] })
  const deviceOf = (name: string | null) => ({ name, site, device_role: role, device_type: model })
  const device = await make("/api/dcim/devices/", deviceOf(null))
  const namedDevice = await make("/api/dcim/devices/", { ...deviceOf(`${seen} device`), tags: [hiddenTag] })
  const ends: Array<number> = []
  for (const name of ["eth0", "eth1"]) {
    ends.push(await make("/api/dcim/interfaces/", { name, device, type: "1000base-t" }))
  }
  const end = (id: number) => [{ object_type: "dcim.interface", object_id: id }]
  await make("/api/dcim/cables/", {
    ...{ a_terminations: end(ends[0]!), b_terminations: end(ends[1]!) },
    ...{ status: cable, label: word, tags: [hiddenTag] }
  })
  await change("/api/dcim/interfaces/", ends[0]!, { description: "after the cable" })
  await make("/api/tenancy/contact-assignments/", {
    ...{ content_type: "dcim.site", object_id: site, contact, priority: "primary" }
  })
  if (more > 0) {
    const tags = Array.from({ length: more }, (_, at) => named(`${word} ${at}`))
    await send("POST", "/api/extras/tags/", tags)
  }
  const { sql } = api.database
  const idsIn = async (path: string): Promise<ReadonlyArray<number>> => {
    const { json } = await eve.call("GET", `${path}?limit=0`)
    return (json["results"] as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id).toSorted((a, b) => a - b)
  }
  const changes = await idsIn("/api/extras/object-changes/")
  const positions = await sql.query<{ readonly position: string; readonly xid: string }>(
    `select position::text as position, max(xid)::text as xid
       from extras_objectchange group by position order by position`
  )
  const visible = await sql.query<{ readonly position: string }>(
    "select distinct position::text as position from extras_objectchange where id = any ($1::bigint[]) order by 1",
    [changes]
  )
  return {
    ...{ api, receiver, readers, changes },
    sites: [site, other],
    devices: [device, namedDevice],
    interfaces: ends,
    webhooks: [scoped, watching],
    deliveries: await idsIn("/api/extras/deliveries/"),
    positions: visible.map(({ position }) => position),
    plain: (text) => plainOf(text, [api.service.url, receiver.url], positions),
    stop: async () => {
      await api.stop()
      await receiver.close()
    }
  }
}

const plainOf = (
  text: string,
  addresses: ReadonlyArray<string>,
  commits: ReadonlyArray<{ readonly position: string; readonly xid: string }>
): string => {
  let plain = text
  for (const address of addresses) {
    const { host } = new URL(address)
    for (const each of [address, host, encodeURIComponent(host)]) plain = plain.replaceAll(each, "there")
  }
  for (const { position, xid } of commits) {
    plain = plain.replaceAll(position, "POSITION").replaceAll(new RegExp(`(xid"?:? ?)${xid}\\b`, "g"), "$1XID")
  }
  return (
    plain
      // Charts of times, and lists of the phases that took any.
      .replaceAll(/<svg.*?<\/svg\s*>/gs, "SVG")
      .replaceAll(/"phases":\{[^}]*\}/g, "PHASES")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(\.\d+)?Z/g, "TIME")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00| UTC)?/g, "TIME")
      .replaceAll(/\d{2}:\d\d:\d\d(\.\d+)?/g, "TIME")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
      .replaceAll(/\b[0-9A-F]{1,8}(\/|%2F)[0-9A-F]{6,8}\b/g, "LSN")
      .replaceAll(/\b([0-9a-f]{8}|[0-9a-f]{16,128})\b/g, "HEX")
      .replaceAll(/\b[\d,]+(\.\d+)? ?(ms|s|min|µs|bytes|B|kB|KiB)\b/g, "AMOUNT")
      .replaceAll(/just now|AMOUNT ago/g, "AGO")
      // In a page, or in the JSON of a stream.
      .replaceAll(
        /<tr>(?:\s|\\n)*<th scope=\\?"row\\?">[a-z ]+<\/th>(?:\s|\\n)*<td>AMOUNT<\/td>(?:\s|\\n)*<\/tr>/g,
        "PHASE"
      )
      .replaceAll(/(PHASE(?:\s|\\n)*)+/g, "PHASES")
      // How much waits anywhere, for users who may view every delivery.
      .replaceAll(/\d+ waiting<\/a/g, "COUNT waiting</a")
      // A time has as many digits as it needs, and so has a body with it.
      .replaceAll(/"(\w*_ms|last_used|age_seconds|seconds|body_bytes)":[\d.]+/g, '"$1":0')
  )
}
