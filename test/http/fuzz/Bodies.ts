/** Bodies of requests: good ones, good ones with something wrong in them, and bad ones. */
import type { Method, Route } from "../../../src/http/Route.ts"
import type { ObjectType } from "../../../src/inventory/ObjectType.ts"
import type { Json } from "../../support/Client.ts"
import type { Random } from "../../template/fuzz/Random.ts"
import { hostileJson, hostileText } from "./Hostile.ts"
import type { World } from "./World.ts"

export interface Body {
  readonly content: Buffer | undefined
  readonly type: string | undefined
}

const none: Body = { content: undefined, type: undefined }

const contentTypes = [
  "text/csv",
  "application/yaml",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/plain",
  "x",
  "application/json; charset=utf-16"
]

const writes: ReadonlyArray<string> = ["POST", "PUT", "PATCH", "DELETE"] satisfies ReadonlyArray<Method>

export const isWrite = (method: string): boolean => writes.includes(method)

export const bodyFor = (
  random: Random,
  route: Route,
  type: ObjectType | undefined,
  method: string,
  world: World
): Body => {
  if (random.chance(isWrite(method) ? 0.03 : 0.95)) return none
  const usual = usualFor(random, route, type, world)
  if (random.chance(0.05)) return { content: usual.content, type: random.pick(contentTypes) }
  return usual
}

const asJson = (value: unknown): Body => ({
  content: Buffer.from(JSON.stringify(value) ?? "null"),
  type: "application/json"
})

const usualFor = (random: Random, { path }: Route, type: ObjectType | undefined, world: World): Body => {
  if (random.chance(0.04)) return { content: Buffer.from(random.pick(malformed)), type: "application/json" }
  if (random.chance(0.03)) return asJson(hostileJson(random))
  if (path.endsWith("/import/") && type !== undefined) return fileFor(random, type, world)
  const special = specials.find(([ending]) => path.endsWith(ending))
  if (special !== undefined) {
    const fields = mutated(random, special[1])
    if (!path.startsWith("/api/"))
      return { content: Buffer.from(formOf(fields)), type: "application/x-www-form-urlencoded" }
    return asJson(fields)
  }
  if (type === undefined) return asJson(hostileJson(random))
  return asJson(
    random.chance(0.3) ? random.many(0, 8, () => objectFor(random, type, world)) : objectFor(random, type, world)
  )
}

/** Fields of endpoints that are no object's, by the end of their path. */
const specials: ReadonlyArray<readonly [ending: string, fields: Json]> = [
  ["/render/", { template: "{{ data.name }}", headers: "X-A: {{ event }}", context: { data: { name: "x" } } }],
  ["/match/", { conditions: { and: [{ attr: "name", value: "x" }] }, data: { name: "x" }, snapshots: null }],
  ["/replay/", { since: "2026-01-01T00:00:00Z", until: "2027-01-01T00:00:00Z", dry_run: true }],
  ["/test/", { object_change: 1 }],
  ["/resume/", { keep: "all" }],
  ["/retry/", { filter: { status: "failed" }, dry_run: true }],
  ["/discard/", { filter: { status: "failed", webhook_id: 1 }, dry_run: false }],
  ["/provision/", { username: "admin", password: "wrong", description: "x" }],
  ["/login/", { username: "somebody", password: "wrong", next: "/", csrfmiddlewaretoken: "x" }],
  ["/password/", { old_password: "x", new_password: "y", csrfmiddlewaretoken: "x" }],
  ["/logout/", { csrfmiddlewaretoken: "x" }],
  ["/available-ips/", { description: "taken" }],
  ["/available-prefixes/", { prefix_length: 30 }],
  ["/available-vlans/", { name: "taken" }]
]

const formOf = (fields: Json): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : (JSON.stringify(value) ?? "")
    ])
  ).toString()

const objectFor = (random: Random, type: ObjectType, world: World): Json => {
  const bodies = world.bodies.get(type.id) ?? [{}]
  const ids = world.existing(type.id)
  const id = random.chance(0.4) && ids.length > 0 ? { id: random.pick(ids) } : {}
  const body: Json = { ...random.pick(bodies), ...id }
  // The unique values are taken.
  for (const name of ["name", "slug", "username", "cid", "facility_id"]) {
    if (typeof body[name] === "string") body[name] = `${String(body[name])}${random.below(1e9)}`.slice(-40)
  }
  if (random.chance(0.2)) body["custom_fields"] = { [hostileText(random)]: hostileJson(random) }
  return random.chance(0.5) ? body : mutated(random, body, Object.keys(type.fields))
}

const mutated = (random: Random, body: Json, names: ReadonlyArray<string> = []): Json => {
  const fields = [...Object.keys(body), ...names]
  const changed = { ...body }
  for (let turn = random.below(4); turn >= 0; turn--) {
    const name = random.chance(0.93) && fields.length > 0 ? random.pick(fields) : hostileText(random)
    if (random.chance(0.1)) delete changed[name]
    else changed[name] = hostileJson(random)
  }
  return changed
}

const fileFor = (random: Random, type: ObjectType, world: World): Body => {
  const rows = random.many(0, 6, () => objectFor(random, type, world))
  const kind = random.below(5)
  if (kind < 2) return asJson(rows)
  if (kind < 4) return { content: Buffer.from(csvOf(random, rows)), type: "text/csv" }
  return {
    content: Buffer.from(random.chance(0.5) ? JSON.stringify(rows) : random.pick(yamls)),
    type: "application/yaml"
  }
}

const csvOf = (random: Random, rows: ReadonlyArray<Json>): string => {
  const names = Object.keys(rows[0] ?? { name: "" })
  const cell = (value: unknown) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
    return random.chance(0.95) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((line) => line.map(cell).join(","))
    .join("\n")
}

const yamls = [
  "- name: a\n  slug: a\n",
  "&a [*a]",
  "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
  "--- !!js/function 'x'\n",
  "- {name: !!binary AAAA}\n",
  "? [a]\n: b\n",
  "\t",
  "<<: {a: 1}\n",
  "- name: 2026-01-01\n  __proto__: {x: 1}\n",
  "-\n".repeat(2000),
  "%YAML 9.9\n---\na",
  "a: b: c"
]

const malformed = [
  "",
  "{",
  "[1,",
  '{"a":}',
  "nul",
  "\ufeff{}",
  '{"a":1}x',
  "[".repeat(5000),
  '{"a":1e999999}',
  "\0",
  "'x'",
  '{"a":"\\ud800"}',
  '{"__proto__":{"x":1},"name":"x"}',
  '{"id":1,"id":2}',
  "1".repeat(5000)
]
