/**
 * The requests of a module of NetBox's Ansible collection, in their order: it reads the version and the choices, looks up
 * the objects that its data names, and finds, creates, compares, changes and deletes its own object.
 */
import { expect } from "vitest"
import type { Api } from "../../support/Api.ts"
import type { Json } from "../../support/Client.ts"
import type { World } from "./World.ts"

export interface ModuleCase {
  readonly module: string
  /** The list below `/api/`. */
  readonly path: string
  /** Objects that the data names: list, query, and the object of the world that must be the only one found. */
  readonly names?: ReadonlyArray<readonly [path: string, query: Json, found: string]>
  readonly find: (world: World) => Json
  readonly create: (world: World) => Json
  readonly change: (world: World) => Json
}

interface Page {
  readonly count: number
  readonly results: ReadonlyArray<Json>
}

/** As Debian's pynetbox sends them: with a semicolon behind the media type. */
const reading = { accept: "application/json;" }
const writing = { accept: "*/*", "content-type": "application/json;" }

/** The value as the module compares it with its data: objects as ids, choices as values. */
const serialized = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(serialized)
  if (typeof value !== "object" || value === null) return value
  if ("id" in value && "url" in value) return value.id
  return "value" in value && "label" in value ? value.value : value
}

const urlOf = (path: string, query: Json = {}): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  return `/api/${path}/?${search.toString()}`
}

export const expectModule = async (api: Api, token: string, world: World, each: ModuleCase): Promise<void> => {
  const send = async <A = Json>(method: string, url: string, body?: Json) => {
    const response = await fetch(`${api.service.url}${url}`, {
      method,
      headers: { authorization: `Token ${token}`, ...(body === undefined ? reading : writing) },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      json: (text === "" ? undefined : JSON.parse(text)) as A
    }
  }
  const found = async () => (await send<Page>("GET", urlOf(each.path, { ...each.find(world), limit: 0 }))).json
  /** The only object of the query, which has these values: otherwise the module would report a change. */
  const finds = async (data: Json) => {
    const page = await found()
    expect(page.count).toBe(1)
    const shown = Object.fromEntries(Object.keys(data).map((name) => [name, serialized(page.results[0]![name])]))
    expect(shown).toEqual(data)
  }
  const root = await send("GET", "/api/")
  const status = await send("GET", "/api/status/")
  expect([root.headers.get("api-version"), status.json["netbox-version"]]).toEqual(["3.5", "3.5.0"])
  const options = await send<{ readonly actions: Json }>("OPTIONS", `/api/${each.path}/`)
  expect(Object.keys(options.json.actions)).toContain("POST")
  for (const [path, query, name] of each.names ?? []) {
    const { json } = await send<Page>("GET", urlOf(path, { ...query, limit: 0 }))
    expect([path, query, json.results.map(({ id }) => id)]).toEqual([path, query, [world[name]]])
  }
  expect((await found()).count).toBe(0)
  const created = await send("POST", `/api/${each.path}/`, each.create(world))
  expect([created.status, created.status === 201 ? {} : created.json]).toEqual([201, {}])
  await finds(each.create(world))
  const url = `/api/${each.path}/${String(created.json["id"])}/`
  const changed = await send("PATCH", url, each.change(world))
  expect([changed.status, changed.status === 200 ? {} : changed.json]).toEqual([200, {}])
  await finds({ ...each.create(world), ...each.change(world) })
  expect((await send("DELETE", url)).status).toBe(204)
  expect((await found()).count).toBe(0)
}
