/** Lists and conditional requests as a client meets them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type User, makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

const sites = "/api/dcim/sites/"

let api: Api
let ids: ReadonlyArray<number>

beforeAll(async () => {
  api = await sharedApi()
  const bodies = ["delta", "alpha", "echo", "bravo", "charlie"].map((name, at) => ({
    ...named(name),
    status: at % 2 === 0 ? "active" : "planned",
    facility: "F"
  }))
  const created = await api.call<ReadonlyArray<{ readonly id: number }>>("POST", sites, bodies)
  ids = created.json.map(({ id }) => id)
})
afterAll(() => api.stop())

const list = async (query: string) => (await api.call<List>("GET", `${sites}?${query}`)).json
const names = async (query: string) => (await list(query)).results.map(({ name }) => name).join(" ")

const raw = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
  const token = await api.newToken()
  const response = await fetch(api.service.url + path, {
    method,
    headers: {
      authorization: `Token ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === "" ? undefined : (JSON.parse(text) as Json)
  }
}

describe("a list", () => {
  test("can be ordered by several fields, each in its own direction", async () => {
    expect(await names("")).toBe("alpha bravo charlie delta echo")
    expect(await names("ordering=-name")).toBe("echo delta charlie bravo alpha")
    expect(await names("ordering=status,-name")).toBe("echo delta charlie bravo alpha")
    expect(await names("ordering=nope,-status,name")).toBe("alpha bravo charlie delta echo")
  })

  test("follows the last of a repeated parameter that is no filter", async () => {
    expect(await names("limit=1&limit=2&offset=9&offset=1")).toBe("bravo charlie")
    expect(await names("ordering=name&ordering=-name&limit=")).toBe("echo delta charlie bravo alpha")
    expect((await list("start=1&start=0&limit=2")).count).toBeNull()
    const brief = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `${sites}?fields=id&fields=name`)
    expect(Object.keys(brief.json.results[0]!)).toEqual(["name"])
  })

  test("ignores an empty value, and takes null for no choice, as NetBox does", async () => {
    const all = await names("")
    for (const query of ["id=", "id__gt=", "latitude=", "created=", "created__gte=", "name="]) {
      expect([query, await names(query)]).toEqual([query, all])
    }
    expect(await names(`id=&id=${ids[0]}`)).toBe("delta")
    expect(await names("status=null")).toBe("")
    expect(await names("status=null&status=planned")).toBe(await names("status=planned"))
    expect(await names("status__n=null")).toBe(all)
    for (const query of ["status=", "id=null", "id=x", "region_id="]) {
      expect([query, (await api.call("GET", `${sites}?${query}`)).status]).toEqual([query, 400])
    }
  })

  test("can be read by cursor from an id to its end, without a count", async () => {
    const seen: Array<string> = []
    let next: string | null = `${api.service.url}${sites}?start=0&limit=2&facility=F`
    while (next !== null) {
      const page: List & { readonly count: unknown } = (await api.call<List>("GET", next.replace(api.service.url, "")))
        .json
      expect([page.count, page.previous]).toEqual([null, null])
      seen.push(...page.results.map(({ name }) => name))
      next = page.next
    }
    expect(seen).toEqual(["delta", "alpha", "echo", "bravo", "charlie"])
    expect((await list(`start=${ids[3]}`)).results).toHaveLength(2)
  })

  test.each([
    ["start=1&offset=1", "'start' and 'offset' are mutually exclusive."],
    ["start=1&ordering=name", "Ordering cannot be specified in conjunction with cursor-based pagination."],
    ["start=x", "Invalid 'start' parameter: must be a non-negative integer."]
  ])("cannot be read by cursor with %s", async (query, message) => {
    const reply = await api.call("GET", `${sites}?${query}`)
    expect([reply.status, reply.json]).toEqual([400, [message]])
  })

  test("counts all objects, also beyond the page and after a write", async () => {
    expect((await list("limit=2")).count).toBe(5)
    expect((await list("limit=2&offset=4")).count).toBe(5)
    expect((await list("limit=2&offset=40")).count).toBe(5)
    expect((await list("limit=5")).count).toBe(5)
  })

  test("shows the requested fields: some, all but some, or the brief ones", async () => {
    const keys = async (query: string) => Object.keys((await list(`limit=1&${query}`)).results[0]!)
    expect(await keys("brief=1")).toEqual(["id", "url", "display", "name", "slug"])
    expect(await keys("fields=slug,id,nope")).toEqual(["id", "slug"])
    expect(await keys("fields=id&omit=id&brief=1")).toEqual(["id"])
    expect(await keys("omit=url,comments&brief=1")).toEqual(
      (await keys("")).filter((key) => !/^(url|comments)$/.test(key))
    )
    const one = await api.call<Json>("GET", `${sites}${ids[0]}/?fields=name`)
    expect(one.json).toEqual({ name: "delta" })
  })

  test("ignores unknown filters, or refuses them on request", async () => {
    expect(await names("nope=1")).toBe("alpha bravo charlie delta echo")
    const strict = await api.call("GET", `${sites}?nope=1&name=alpha&limit=1&strict=true`)
    expect([strict.status, strict.json]).toEqual([400, { nope: ["Unknown filter."] }])
  })

  describe("filtered by other objects", () => {
    const unknown = (value: string) => `Select a valid choice. ${value} is not one of the available choices.`
    const ask = async (path: string, call: Api["call"] | User["call"] = api.call) => {
      const { status, json } = await call("GET", path)
      return status === 200 ? (json as unknown as List).count : json
    }
    let region: number
    beforeAll(async () => {
      region = await api.make("dcim/regions", named("emea"))
      await api.call("POST", "/api/extras/tags/", named("red"))
      await api.call("PATCH", `${sites}${ids[0]}/`, { region })
    })

    test("refuses unknown names and ids, and accepts existing ones that match nothing", async () => {
      expect(await ask(`${sites}?region=nope&region_id=999&tag=nope`)).toEqual({
        region: [unknown("nope")],
        region_id: [unknown("999")],
        tag: [unknown("nope")]
      })
      expect(await ask("/api/dcim/racks/?region=nope")).toEqual({ region: [unknown("nope")] })
      expect(await ask("/api/ipam/ip-addresses/?interface_id=999")).toEqual({ interface_id: [unknown("999")] })
      expect(await ask("/api/dcim/racks/?region=emea&tag=red")).toBe(0)
      expect(await ask(`${sites}export/?format=csv&region=nope`)).toEqual({ region: [unknown("nope")] })
    })

    test("refuses unknown ones beside existing ones, and when negated", async () => {
      expect(await ask(`${sites}?region=emea&region=nope`)).toEqual({ region: [unknown("nope")] })
      expect(await ask(`${sites}?region__n=nope`)).toEqual({ region__n: [unknown("nope")] })
      expect(await ask(`${sites}?region_id=${region}&region_id=null`)).toBe(5)
    })

    test("does not reveal existing objects to users who may not see all of them", async () => {
      const grant = { types: ["dcim.site"], actions: ["view"] }
      const some = { types: ["dcim.region"], actions: ["view"], constraints: { name: "x" } }
      const eve = await makeUser(api, "eve", grant, some)
      expect([await ask(`${sites}?region=nope`, eve.call), await ask(`${sites}?region_id=999`, eve.call)]).toEqual([
        0, 0
      ])
    })

    test("finds records of deleted objects", async () => {
      expect(await ask("/api/extras/deliveries/?webhook_id=999")).toBe(0)
    })
  })

  test("explains what is wrong with a pattern that only Postgres parses", async () => {
    const reply = await api.call("GET", `${sites}?name__regex=(`)
    expect([reply.status, reply.json]).toEqual([400, { detail: "Enter a valid regular expression." }])
  })
})

describe("a strict write", () => {
  test("refuses unknown fields, and accepts everything that a read returns", async () => {
    const bodies = [{ ...named("one") }, { ...named("two"), nope: 1, id: 5, url: "", display: "" }]
    const refused = await api.call("POST", `${sites}?strict=true`, bodies)
    expect([refused.status, refused.json]).toEqual([400, [{}, { nope: ["Unknown field."] }]])
    const one = await api.call("PATCH", `${sites}${ids[0]}/?strict=1`, { nope: 1 })
    expect([one.status, one.json]).toEqual([400, { nope: ["Unknown field."] }])
  })
})

describe("an object", () => {
  test("is written only if it is as the client read it, on request", async () => {
    const path = `${sites}${ids[0]}/`
    const read = await raw("GET", path, {})
    const etag = read.headers.get("etag")!
    expect(etag).toBe(`W/"${String(read.json!["last_updated"])}"`)
    const first = await raw("PATCH", path, { "if-match": `"other", ${etag}` }, { description: "1" })
    expect(first.status).toBe(200)
    expect(first.headers.get("etag")).not.toBe(etag)
    for (const method of ["PATCH", "PUT", "DELETE"]) {
      const body = method === "DELETE" ? undefined : { ...named("delta"), description: "2" }
      const late = await raw(method, path, { "if-match": etag }, body)
      expect([late.status, late.json, late.headers.get("etag")]).toEqual([
        412,
        { detail: "Precondition failed." },
        first.headers.get("etag")
      ])
    }
    expect((await raw("PATCH", path, { "if-match": "*" }, { description: "3" })).status).toBe(200)
  })

  test("can be named by attributes of the object that it belongs to", async () => {
    const regions = "/api/dcim/regions/"
    const [north, south] = (
      await api.call<ReadonlyArray<{ readonly id: number }>>("POST", regions, [named("north"), named("south")])
    ).json
    await api.call("POST", regions, [
      { ...named("coast"), parent: north!.id },
      { ...named("coast"), parent: south!.id }
    ])
    const reply = await api.call<Json>("PATCH", `${sites}${ids[1]}/`, {
      region: { name: "coast", parent: { slug: "south" } }
    })
    expect([reply.status, (reply.json["region"] as Json)["name"]]).toEqual([200, "coast"])
    const two = await api.call<Json>("PATCH", `${sites}${ids[1]}/`, { region: { name: "coast" } })
    expect(two.text).toContain("Multiple objects match the provided attributes")
    const wrong = await api.call<Json>("PATCH", `${sites}${ids[1]}/`, { region: { nope: "coast" } })
    expect(wrong.text).toContain("Related object not found using the provided attributes")
  })
})

describe("the accepted media type", () => {
  test("is JSON, indented on request, of our API version", async () => {
    const indented = await raw("GET", "/api/", { accept: "application/json; indent=4" })
    expect(indented.text).toMatch(/^\{\n {4}"/)
    const version = await raw("GET", "/api/", { accept: "application/json; version=9.9" })
    expect([version.status, version.json]).toEqual([406, { detail: 'Invalid version in "Accept" header.' }])
    const other = await raw("GET", sites, { accept: "application/xml" })
    expect([other.status, other.json]).toEqual([406, { detail: "Could not satisfy the request Accept header." }])
    for (const accept of ["*/*", "text/html,*/*;q=0.8", "application/*", "application/xml, application/json;q=0.5"]) {
      expect((await raw("GET", sites, { accept })).status).toBe(200)
    }
  })
})

describe("OPTIONS", () => {
  test("has what only a creation reads, for that alone", async () => {
    const modules = (await raw("OPTIONS", "/api/dcim/modules/1/", {})).json!["actions"] as Json
    const own = { type: "boolean", required: false, read_only: false, label: "Adopt components" }
    expect(modules["PUT"]).not.toHaveProperty("adopt_components")
    const { POST } = (await raw("OPTIONS", "/api/dcim/modules/", {})).json!["actions"] as Json
    expect(POST).toMatchObject({ adopt_components: own, replicate_components: { required: false } })
  })

  test("lists the fields of the methods that the sender may use", async () => {
    const reply = await raw("OPTIONS", sites, {})
    expect([reply.status, reply.headers.get("allow")]).toEqual([200, "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS"])
    expect(reply.json!["name"]).toBe("Site")
    const post = (reply.json!["actions"] as Record<string, Record<string, Json>>)["POST"]!
    expect((await raw("OPTIONS", "/api/ipam/ip-addresses/", {})).json!["name"]).toBe("IP Address")
    expect((await raw("OPTIONS", `${sites}1/`, {})).json!["name"]).toBe("Site")
    expect(post["name"]).toEqual({ type: "string", required: true, read_only: false, label: "Name", max_length: 100 })
    expect(post["status"]!["choices"]).toContainEqual({ value: "planned", display_name: "Planned" })
    expect(post["created"]).toMatchObject({ type: "datetime", read_only: true })
    const types = Object.fromEntries(Object.entries(post).map(([name, { type }]) => [name, type]))
    expect(types).toMatchObject({
      slug: "slug",
      status: "field",
      region: "nested object",
      latitude: "decimal",
      tags: "field",
      custom_fields: "field",
      device_count: "integer"
    })
    expect(post["region"]!["children"]).toMatchObject({ id: { type: "integer" }, slug: { type: "slug" } })
    const webhook = (await raw("OPTIONS", "/api/extras/webhooks/", {})).json!["actions"] as typeof post & Json
    expect(webhook["POST"]).toMatchObject({ http_method: { type: "choice" }, content_types: { type: "field" } })
    const reading = await api.raw("OPTIONS", sites, undefined, await api.newToken({ write_enabled: false }))
    expect([reading.status, reading.json["actions"]]).toEqual([200, undefined])
  })
})
