/**
 * The surface of NetBox 3.5 on the wire: of 102 lists 97 are built and five are refused; objects are answered with all
 * fields, accept all fields that NetBox writes, and are brief and ordered by NetBox's names.
 */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { registry } from "../../src/inventory/Registry.ts"
import { isOrdered } from "../../src/inventory/derive/table/Order.ts"
import { surface, typeFields } from "../documents/NetboxSurface.ts"
import { makeWorld } from "../support/AnyObject.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { sampleOf } from "../support/Seed.ts"

interface Facts {
  readonly brief: string
  readonly fields: Readonly<Record<string, { readonly readOnly?: true; readonly choices?: string }>>
}

const facts = JSON.parse(readFileSync(new URL("../inventory/netbox-fields.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Facts>
>

/** Lists that are left out by decision (src/http/publish/NotBuilt.ts). */
const refused = [
  ...["/api/core/data-sources/", "/api/core/data-files/", "/api/core/jobs/"],
  ...["/api/extras/reports/", "/api/extras/scripts/"]
]

let api: Api

beforeAll(async () => {
  api = await sharedApi()
  await makeWorld(api.call, 2)
  await api.make("users/groups", { name: "readers" })
  await api.make("users/permissions", { name: "read", object_types: ["dcim.site"], actions: ["view"] })
})
afterAll(() => api.stop())

describe("of the lists of NetBox 3.5", () => {
  it("97 are built, and five are refused", async () => {
    const statuses = new Map<string, number>()
    for (const path of surface.keys()) statuses.set(path, (await api.call("GET", path)).status)
    const answering = (status: number) => [...surface.keys()].filter((path) => statuses.get(path) === status)
    expect(answering(404)).toEqual([])
    expect(answering(501).toSorted()).toEqual(refused.toSorted())
    // One list answers only for a port that is named.
    const asked = await api.call("GET", "/api/dcim/connected-device/?peer_device=none&peer_interface=none")
    expect([answering(400), asked.status]).toEqual([["/api/dcim/connected-device/"], 404])
    expect(answering(200).length + answering(400).length).toBe(97)
  })
})

const types = [...registry.values()].flatMap((type) =>
  Object.hasOwn(facts, type.id) ? [[type.id, type, facts[type.id]!] as const] : []
)

/** Objects of the type, whole; one that an earlier case has changed is as good. */
const objectsOf = async ({ path }: ObjectType, query = ""): Promise<ReadonlyArray<Json>> =>
  (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `${path}?limit=20${query}`)).json.results

/** The value of a field in the form in which NetBox takes it. */
const sent = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sent)
  if (typeof value !== "object" || value === null) return value
  if ("id" in value && "url" in value) return value.id
  return "value" in value && "label" in value ? value.value : value
}

/** Fields of NetBox that are written and never shown. */
const unshown: Readonly<Record<string, string>> = {
  "extras.webhook": "secret",
  "users.token": "key",
  "users.user": "password"
}

/** Fields of NetBox that writes do not take, and why. */
const untaken: Readonly<Record<string, string>> = {
  "circuits.provider accounts": "an account names its provider",
  "dcim.cabletermination": "the cable is written",
  "users.user last_login": "the service notes it"
}

const written = (type: ObjectType, { fields }: Facts): ReadonlyArray<string> =>
  Object.keys(fields).filter(
    (name) =>
      fields[name]!.readOnly !== true &&
      !lacking(type).includes(name) &&
      !Object.hasOwn(untaken, type.id) &&
      !Object.hasOwn(untaken, `${type.id} ${name}`)
  )

const lacking = (type: ObjectType): ReadonlyArray<string> =>
  typeFields.find(({ path }) => path === type.path)?.missing ?? []

it.each(types)("%s is answered with every field, and briefly", async (id, type, { brief }) => {
  const [one, short] = [(await objectsOf(type))[0]!, (await objectsOf(type, "&brief=1"))[0]!]
  const hidden = unshown[id] === undefined ? [] : [unshown[id]]
  expect(surface.get(type.path)!.filter((name) => !Object.hasOwn(one, name))).toEqual([...lacking(type), ...hidden])
  const names = ["id", "url", "display", ...brief.split(" ").filter((name) => name !== "" && !hidden.includes(name))]
  expect(names.filter((name) => !Object.hasOwn(short, name))).toEqual([])
})

it.each(types.filter(([, type]) => type.kind !== "record" && type.isReadOnly !== true))(
  "%s takes every field that NetBox writes",
  async (_, type, fact) => {
    const { json } = await api.call<{ readonly actions: { readonly POST: Json } }>("OPTIONS", type.path)
    const names = written(type, fact)
    expect(names.filter((name) => !Object.hasOwn(json.actions.POST, name))).toEqual([])
    const one = (await objectsOf(type))[0]!
    const shown = names.filter((name) => Object.hasOwn(one, name))
    const body = Object.fromEntries(shown.map((name) => [name, sent(one[name])]))
    const reply = await api.call<Json>("PATCH", `${type.path}${String(one["id"])}/?strict=true`, body)
    expect([reply.status, reply.status === 200 ? {} : reply.json]).toEqual([200, {}])
  }
)

it.each(types)("%s is ordered by every field that has an order", async (id, type, { fields }) => {
  const found = await objectsOf(type)
  const isTold = (name: string) => new Set(found.map((one) => JSON.stringify(one[name]))).size > 1
  for (const name of sampleOf(
    Object.keys(fields).filter((each) => isOrdered(type, each) && isTold(each)),
    2,
    id
  )) {
    const idsBy = async (order: string) => (await objectsOf(type, `&ordering=${order}`)).map((one) => one["id"])
    expect([name, await idsBy(name)]).not.toEqual([name, await idsBy(`-${name}`)])
  }
})
