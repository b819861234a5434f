/**
 * docs/netbox.md lists the paths and fields of NetBox 3.5 that the API does not have, each with a reason.
 * `RACKWIRE_WRITE_DOCS=1` writes the lists into the document.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { generatedPart, tableOf } from "./Generated.ts"
import { needlessReasons, netboxPaths, reasonOf, surface, typeFields } from "./NetboxSurface.ts"

let api: Api
let missing: ReadonlyArray<string>
/** The status with which each of these answers. */
const statuses = new Map<string, number>()

beforeAll(async () => {
  api = await sharedApi()
  const schema = await api.call("GET", "/api/schema/")
  const { paths } = JSON.parse(schema.text) as { readonly paths: Readonly<Record<string, unknown>> }
  const described = new Set(Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "{id}")))
  const absent: Array<string> = []
  for (const path of netboxPaths) {
    if (described.has(path)) continue
    const { status } = await api.call("GET", path.replaceAll(/\{\w+\}/g, "1"))
    statuses.set(path, status)
    if (path.includes("{") || status === 404 || status === 501) absent.push(path)
  }
  missing = absent
})
afterAll(() => api.stop())

/** `/api/dcim/cables/` -> `dcim`; other paths have no app. */
const appOf = (path: string): string => /^\/api\/(\w+)\/[^/]+\//.exec(path)?.[1] ?? ""

/** The name of a field with the path of its list, as reasons name it. */
const named = (path: string, field: string): string => `${path}.${field}`

const code = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

/** The paths as a table with a row for each app and reason. */
const pathTable = (paths: ReadonlyArray<string>): string => {
  const groups = Map.groupBy(paths, (path) => `${appOf(path)} ${reasonOf(path) ?? ""}`)
  const rows = [...groups.values()].map((own) => {
    const app = appOf(own[0]!)
    const below = app === "" ? "" : `/api/${app}/`
    const names = own.map((path) => path.slice(below.length))
    const answers = [...new Set(own.map((path) => String(statuses.get(path))))].join(", ")
    return [below === "" ? "" : `\`${below}\``, code(names), answers, reasonOf(own[0]!) ?? ""]
  })
  return tableOf(["below", "is missing", "answers", "because"], rows)
}

/** The fields as a table with a row for each list and reason. */
const fieldTable = (): string => {
  const rows = typeFields.flatMap(({ path, missing, empty }) => {
    const own = [
      ...missing.map((name) => ({ name, how: "absent", reason: reasonOf(named(path, name)) ?? "" })),
      ...empty.map((name) => ({ name, how: "null", reason: reasonOf(named(path, name)) ?? "" }))
    ]
    return [...Map.groupBy(own, ({ how, reason }) => `${how} ${reason}`).values()].map((group) => [
      `\`${path.slice("/api/".length)}\``,
      code(group.map(({ name }) => name)),
      group[0]!.how,
      group[0]!.reason
    ])
  })
  return tableOf(["objects", "field", "is", "because"], rows)
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, each) => total + each, 0)

/** The numbers of lists and fields of NetBox, and of those that the service has. */
const counted = () => {
  const built = [...surface.keys()].filter((path) => !missing.includes(path))
  const others = built.filter((path) => typeFields.every((type) => type.path !== path))
  return {
    built: built.length,
    // Lists of no object type have all of their fields.
    fields: sum(typeFields.map(({ shown }) => shown)) + sum(others.map((path) => surface.get(path)!.length)),
    all: sum([...surface.values()].map(({ length }) => length)),
    ofBuilt: sum(built.map((path) => surface.get(path)!.length))
  }
}

/** Fewest lists that the service has; a type that is lost would lower their number. */
const builtMin = 92

describe("the surface of NetBox 3.5", () => {
  it("is counted in the document", () => {
    const { built, fields, all, ofBuilt } = counted()
    expect(built).toBeGreaterThanOrEqual(builtMin)
    const sentence = `Of NetBox's ${surface.size} lists of objects ${built} are there, with ${fields} of their ${ofBuilt} fields; all lists together have ${all}.`
    expect(generatedPart("netbox.md", "counts", sentence)).toBe(sentence)
  })

  it("has the paths that the document lists as missing", () => {
    expect(generatedPart("netbox.md", "paths", pathTable(missing))).toBe(pathTable(missing))
  })

  it("has the fields that the document lists as missing", () => {
    expect(generatedPart("netbox.md", "fields", fieldTable())).toBe(fieldTable())
  })

  it("has a reason for each, and no reason for anything else", () => {
    const fields = typeFields.flatMap(({ path, missing, empty }) =>
      [...missing, ...empty].map((name) => named(path, name))
    )
    expect([...missing, ...fields].filter((each) => reasonOf(each) === undefined)).toEqual([])
    expect(needlessReasons([...missing, ...fields])).toEqual([])
  })
})
