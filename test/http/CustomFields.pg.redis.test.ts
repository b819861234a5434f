/** Custom fields: what objects have beside their declared fields. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

type Made = Json & { readonly id: number }

let api: Api
const define = (fields: Json) => api.call<Made>("POST", "/api/extras/custom-fields/", fields)
const onTenants = { content_types: ["tenancy.tenant"] }

beforeAll(async () => {
  api = await sharedApi()
  for (const fields of [
    { name: "code", validation_regex: "^[A-Z]{3}$" },
    { name: "note", type: "longtext" },
    { name: "floors", type: "integer", default: 2, validation_minimum: 1, validation_maximum: 50 },
    { name: "area", type: "decimal" },
    { name: "secure", type: "boolean", default: false },
    { name: "opened", type: "date" },
    { name: "seen", type: "datetime" },
    { name: "page", type: "url" },
    { name: "extra", type: "json" },
    { name: "tier", type: "select", choices: ["gold", "silver"] },
    { name: "marks", type: "multiselect", choices: ["a", "b", "c"] },
    { name: "home", type: "object", object_type: "dcim.region" },
    { name: "areas", type: "multiobject", object_type: "dcim.region" }
  ]) {
    const { status, text } = await define({ ...onTenants, ...fields })
    if (status !== 201) throw new Error(text)
  }
})
afterAll(() => api.stop())

const make = async (fields: Json) => api.call<Made>("POST", "/api/tenancy/tenants/", fields)
const refused = async (custom: Json) => {
  const { status, json } = await make({ ...named("Refused"), custom_fields: custom })
  return [status, json["__all__"] ?? json]
}

describe("values of custom fields", () => {
  it("are all shown; values that were not given show their default or null", async () => {
    const { json } = await make({ ...named("Plain") })
    expect(json["custom_fields"]).toEqual({
      code: null,
      note: null,
      floors: 2,
      area: null,
      secure: false,
      opened: null,
      seen: null,
      page: null,
      extra: null,
      tier: null,
      marks: null,
      home: null,
      areas: null
    })
  })

  it("are stored as given, merged with earlier ones, and shown with their objects", async () => {
    const region = await api.call<Made>("POST", "/api/dcim/regions/", named("Where"))
    const custom = {
      code: "ABC",
      note: "long",
      floors: 7,
      area: 12.5,
      secure: true,
      opened: "2026-11-20",
      seen: "2026-11-20T10:00:00+01:00",
      page: "https://example.com/",
      extra: { deep: [1, null] },
      tier: "gold",
      marks: ["a", "c"],
      home: region.json.id,
      areas: [{ id: region.json.id }]
    }
    const made = await make({ ...named("Full"), custom_fields: custom })
    const nested = { id: region.json.id, name: "Where", display: "Where" }
    expect(made.json["custom_fields"]).toMatchObject({
      ...custom,
      seen: "2026-11-20T09:00:00Z",
      home: nested,
      areas: [nested]
    })
    const path = `/api/tenancy/tenants/${made.json.id}/`
    const patched = await api.call<Json>("PATCH", path, { custom_fields: { code: "XYZ", home: null } })
    expect(patched.json["custom_fields"]).toMatchObject({ code: "XYZ", note: "long", home: null, floors: 7 })
    expect((await api.call<Json>("GET", path)).json["custom_fields"]).toEqual(patched.json["custom_fields"])
  })

  it("are refused if their pattern is too large or would take too long", async () => {
    const long = await define({
      content_types: ["ipam.rir"],
      name: "long",
      type: "longtext",
      validation_regex: "(a|b)*c"
    })
    const put = (value: string) =>
      api.call<Json>("POST", "/api/ipam/rirs/", { ...named(`Long ${value.length}`), custom_fields: { long: value } })
    const wrong = async (value: string) => JSON.stringify((await put(value)).json)
    expect(await wrong("ab".repeat(200_000))).toMatch(/Value must have at most \d+ characters to be matched/)
    const change = "update extras_customfield set validation_regex = $1 where id = $2"
    await api.database.sql.query(change, ["x{1000}".repeat(70), long.json.id])
    expect(await wrong("abc")).toContain(
      "validation_regex cannot be used: its repetitions and classes make it too large."
    )
    await api.database.sql.query(change, ["^.{0,1000}$", long.json.id])
    expect((await put("x".repeat(996))).status).toBe(201)
    await api.database.sql.query(change, ["(a|b)*c", long.json.id])
    expect((await put("ab".repeat(5000) + "c")).status).toBe(201)
  })

  it.each([
    [{ nope: 1 }, "Unknown field name 'nope' in custom field data."],
    [{ code: 5 }, "Invalid value for custom field 'code': Value must be a string."],
    [{ code: "abc" }, "Invalid value for custom field 'code': Value must match regex '^[A-Z]{3}$'"],
    [{ floors: 1.5 }, "Invalid value for custom field 'floors': Value must be an integer."],
    [{ floors: 0 }, "Invalid value for custom field 'floors': Value must be at least 1"],
    [{ floors: 51 }, "Invalid value for custom field 'floors': Value must not exceed 50"],
    [{ area: "x" }, "Invalid value for custom field 'area': Value must be a decimal."],
    [{ secure: "yes" }, "Invalid value for custom field 'secure': Value must be true or false."],
    [
      { opened: "20.11.2026" },
      "Invalid value for custom field 'opened': Date values must be in ISO 8601 format (YYYY-MM-DD)."
    ],
    [
      { tier: "tin" },
      "Invalid value for custom field 'tier': Invalid choice (tin). Available choices are: gold, silver"
    ],
    [
      { marks: ["a", "z"] },
      "Invalid value for custom field 'marks': Invalid choice (z). Available choices are: a, b, c"
    ],
    [
      { home: 999_999 },
      "Invalid value for custom field 'home': Related object not found using the provided numeric ID: 999999"
    ]
  ])("are refused by name: %j", async (custom, message) => {
    expect(await refused(custom)).toEqual([400, [message]])
  })

  it("must be a JSON object", async () => {
    const { status, json } = await make({ ...named("Odd"), custom_fields: [1] as unknown as Json })
    expect([status, json]).toEqual([400, { custom_fields: ['Expected a dictionary of items but got type "list".'] }])
  })

  it("must be given if the field is required, and may not be cleared", async () => {
    await define({ content_types: ["dcim.manufacturer"], name: "vat", required: true })
    const path = "/api/dcim/manufacturers/"
    expect((await api.call("POST", path, named("No VAT"))).json).toEqual({
      __all__: ["Missing required custom field 'vat'."]
    })
    const made = await api.call<Made>("POST", path, { ...named("VAT"), custom_fields: { vat: "1" } })
    expect((await api.call("PATCH", `${path}${made.json.id}/`, { custom_fields: { vat: null } })).json).toEqual({
      __all__: ["Invalid value for custom field 'vat': Required field cannot be empty."]
    })
  })
})

describe("a custom field", () => {
  it("keeps its values when it is renamed, and deletes them with itself", async () => {
    const path = "/api/dcim/regions/"
    const field = await define({ content_types: ["dcim.region"], name: "nick" })
    const region = await api.call<Made>("POST", path, { ...named("Nicked"), custom_fields: { nick: "N" } })
    const shown = async () => (await api.call<Json>("GET", `${path}${region.json.id}/`)).json["custom_fields"]
    await api.call("PATCH", `/api/extras/custom-fields/${field.json.id}/`, { name: "nickname" })
    expect(await shown()).toEqual({ nickname: "N" })
    await api.call("DELETE", `/api/extras/custom-fields/${field.json.id}/`)
    expect(await shown()).toEqual({})
    await define({ content_types: ["dcim.region"], name: "nickname" })
    expect(await shown()).toEqual({ nickname: null })
  })

  it.each([
    [{ name: "a b" }, { name: ["Only alphanumeric characters and underscores are allowed."] }],
    [{ name: "a__b" }, { name: ["Double underscores are not permitted in custom field names."] }],
    [{ name: "a", type: "select" }, { choices: ["Selection fields must specify at least one choice."] }],
    [{ name: "a", type: "object" }, { object_type: ["Object fields must define an object type."] }],
    [{ name: "a", type: "object", object_type: "dcim.x" }, { object_type: ["Invalid content type: dcim.x"] }],
    [
      { name: "a", validation_regex: "(" },
      { validation_regex: ["Invalid regular expression: error parsing regexp: missing closing ): `(`."] }
    ],
    [
      { name: "a", validation_regex: "x{1000}".repeat(70) },
      { validation_regex: ["Invalid regular expression: its repetitions and classes make it too large."] }
    ],
    [
      { name: "a", type: "integer", default: "x" },
      { default: ['Invalid default value "x": Value must be an integer.'] }
    ]
  ])("is refused when it does not fit together: %j", async (fields, errors) => {
    const { status, json } = await define({ ...onTenants, ...fields })
    expect([status, json]).toEqual([400, errors])
  })
})

describe("a filter on a custom field", () => {
  const roles = "/api/ipam/roles/"
  const found = async (query: string) => {
    const { status, json } = await api.call<List>("GET", `${roles}?ordering=name&${query}`)
    return status === 200 ? json.results.map(({ name }) => name).join(" ") : json
  }
  const exported = async (query: string) =>
    (await api.raw("GET", `${roles}export/?format=csv&${query}`, undefined, await api.newToken())).text.split("\n")
      .length - 2

  beforeAll(async () => {
    const onRoles = { content_types: ["ipam.role"] }
    await define({ ...onRoles, name: "owner" })
    await define({ ...onRoles, name: "badge", filter_logic: "exact" })
    await define({ ...onRoles, name: "secret", filter_logic: "disabled" })
    await define({ ...onRoles, name: "level", type: "integer" })
    for (const [name, owner, level] of [
      ["Ann", "team-ann", 1],
      ["Bob", "team-bob", 20],
      ["Anna", "ann", 3]
    ] as const) {
      const custom = { owner, badge: owner, secret: owner, level }
      const { status, text } = await api.call("POST", roles, { ...named(name), custom_fields: custom })
      if (status !== 201) throw new Error(text)
    }
  })

  it("compares as the definition says: loosely, exactly, or not at all", async () => {
    expect(await found("cf_owner=ann")).toBe("Ann Anna")
    expect(await found("cf_badge=ann")).toBe("Anna")
    expect(await found("cf_badge__ic=ann")).toBe("Ann Anna")
    expect(await found("cf_secret=ann")).toBe("Ann Anna Bob")
    expect(await found("cf_secret=ann&strict=true")).toEqual({ cf_secret: ["Unknown filter."] })
    expect(await exported("cf_badge=ann")).toBe(1)
  })

  it("compares numbers as numbers and refuses other values", async () => {
    expect(await found("cf_level=20")).toBe("Bob")
    expect(await found("cf_level__gte=3")).toBe("Anna Bob")
    expect(await found("cf_level=many")).toEqual({ cf_level: ["Enter a number."] })
  })
})
