/** Objects of a source from a REST API on a real socket. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { freshness } from "../../../src/source/data/Freshness.ts"
import { type Answering, json, shown, site, sites, startNetbox, withApi } from "./NetboxApi.ts"

let netbox: Awaited<ReturnType<typeof startNetbox>>

beforeAll(async () => {
  netbox = await startNetbox()
})

afterAll(() => netbox.stop())

beforeEach(() => netbox.answers(sites()))

/** The answer for the site 5. */
const siteFive = (answering: Answering, options: Parameters<typeof withApi>[2] = {}) => {
  netbox.answers(answering)
  return withApi(netbox.url, async (fetch) => (await fetch([site(5)]))[0]!, options)
}

describe("objects of an API", () => {
  it("are read one by one by their address, with digits and order as NetBox sent them", async () => {
    const text = `{ "id": 5, "b": 1.50, "a": 9007199254740993, "name": "x  y", "last_updated": "2026-11-29T02:00:00.5Z" }`
    expect(await siteFive((_, response) => json(response, text))).toEqual({
      _tag: "Found",
      json: `{"id":5,"b":1.50,"a":9007199254740993,"name":"x  y","last_updated":"2026-11-29T02:00:00.5Z"}`,
      lastUpdated: "2026-11-29T02:00:00.5Z"
    })
    expect(netbox.requests()).toEqual(["GET /api/dcim/sites/5/"])
    expect(netbox.headers()).toMatchObject({ authorization: "Token 0123456789abcdef", "accept-encoding": "identity" })
  })

  it("are read with a token of the second version as a bearer", async () => {
    await siteFive(sites(), { token: "nbt_abc.def" })
    expect(netbox.headers().authorization).toBe("Bearer nbt_abc.def")
  })

  it("are one request for several events of an object, and one for several objects of a type", async () => {
    await withApi(netbox.url, async (fetch) => {
      expect((await fetch([site(5), site(5), site(5)])).map(shown)).toEqual(["site 5", "site 5", "site 5"])
      expect(netbox.requests()).toEqual(["GET /api/dcim/sites/5/"])
      netbox.answers(sites())
      const answers = await fetch([site(7), site(2000), site(5), { type: "dcim.rack", objectId: "7" }, site(7)])
      expect(answers.map(shown)).toEqual(["site 7", "NotFound", "site 5", "site 7", "site 7"])
      expect(netbox.requests().toSorted()).toEqual([
        "GET /api/dcim/racks/7/",
        "GET /api/dcim/sites/?id=7&id=2000&id=5&limit=3"
      ])
    })
  })

  it("are requested again where pages are cut at MAX_PAGE_SIZE, without following an address of the API", async () => {
    netbox.answers(sites(20))
    const ids = Array.from({ length: 120 }, (_, at) => at + 900)
    await withApi(netbox.url, async (fetch) => {
      const expected = ids.map((id) => (id < 1000 ? `site ${id}` : "NotFound"))
      expect((await fetch(ids.map(site), 60_000)).map(shown)).toEqual(expected)
    })
    // 50, 30 and 10 ids, twice, and a list of ids that are not there.
    expect(netbox.requests().length).toBe(7)
    expect(Math.max(...netbox.requests().map(({ length }) => length))).toBeLessThan(600)
  })

  it("are read one by one where a list takes no ids, or has an object that cannot be read", async () => {
    const all = [site(1), site(2), site(3)]
    const withList = (results: string): Answering => {
      return (request, response) =>
        request.url!.includes("?") ? json(response, `{"next":null,"results":${results}}`) : sites()(request, response)
    }
    await withApi(netbox.url, async (fetch) => {
      netbox.answers(withList(`[{"id":8},{"id":9}]`))
      expect((await fetch(all)).map(shown)).toEqual(["site 1", "site 2", "site 3"])
      netbox.answers(withList(`[{"id":2,"name":"two"},{"id":1,"deep":${"[".repeat(1000)}${"]".repeat(1000)}}]`))
      expect((await fetch(all)).map(shown)).toEqual(["site 1", "two", "site 3"])
    })
  })

  it("are read in halves where a list is too large", async () => {
    const large: Answering = (request, response) =>
      request.url!.split("id=").length > 3 ? json(response, "x".repeat(3_000_000)) : sites()(request, response)
    netbox.answers(large)
    await withApi(netbox.url, async (fetch) => {
      expect((await fetch([1, 2, 3, 4].map(site))).map(shown)).toEqual(["site 1", "site 2", "site 3", "site 4"])
    })
    expect(netbox.requests().length).toBe(3)
  })

  it("are not sent again where NetBox confirms their ETag", async () => {
    netbox.answers((request, response) =>
      request.headers["if-none-match"] === '"v1"'
        ? response.writeHead(304).end()
        : json(response, { id: 5, name: "whole" }, { etag: '"v1"' })
    )
    await withApi(netbox.url, async (fetch) => {
      for (const _ of [1, 2]) expect((await fetch([site(5)])).map(shown)).toEqual(["whole"])
      expect(netbox.headers()["if-none-match"]).toBe('"v1"')
      netbox.answers((_, response) => json(response, { id: 5, name: "next" }, { etag: '"v2"' }))
      expect((await fetch([site(5)])).map(shown)).toEqual(["next"])
      netbox.answers((_, response) => response.writeHead(404).end())
      expect((await fetch([site(5)])).map(shown)).toEqual(["NotFound"])
      netbox.answers(sites())
      await fetch([site(5)])
      expect(netbox.headers()["if-none-match"]).toBeUndefined()
    })
  })

  it("of a newer state say so by their time", async () => {
    const found = await siteFive(sites())
    const lastUpdated = found._tag === "Found" ? found.lastUpdated : undefined
    expect(freshness({ last_updated: "2026-11-29T02:00:00.123Z" }, { lastUpdated })).toBe("Current")
    expect(freshness({ last_updated: "2026-11-29T01:59:59Z" }, { lastUpdated })).toBe("Newer")
  })

  it("have no id that is no number: nothing is requested", async () => {
    await withApi(netbox.url, async (fetch) => {
      const answers = await fetch(["0", "", "../x", "5/?a", "1".repeat(30)].map(site))
      expect(answers.map(shown)).toEqual(["NotFound", "NotFound", "NotFound", "NotFound", "NotFound"])
      expect(await fetch([])).toEqual([])
    })
    expect(netbox.requests()).toEqual([])
  })
})

describe("the endpoint of a type that is not declared", () => {
  const session = { type: "netbox_bgp.bgpsession", objectId: "5" }
  const lists: Readonly<Record<string, unknown>> = {
    "/api/plugins/": { "installed-plugins": "", bgp: "" },
    "/api/plugins/bgp/": { "bgp-sessions": "http://evil.example/" }
  }

  it("is the one of the list of object types, and is cached", async () => {
    netbox.answers((request, response) =>
      request.url!.startsWith("/api/core/object-types/")
        ? json(response, {
            results: [{ app_label: "netbox_bgp", model: "bgpsession", rest_api_endpoint: "/api/plugins/bgp/sessions/" }]
          })
        : sites()(request, response)
    )
    await withApi(netbox.url, async (fetch) => {
      for (const _ of [1, 2]) expect((await fetch([session])).map(shown)).toEqual(["site 5"])
    })
    expect(netbox.requests()).toEqual([
      "GET /api/core/object-types/?app_label=netbox_bgp&model=bgpsession",
      "GET /api/plugins/bgp/sessions/5/",
      "GET /api/plugins/bgp/sessions/5/"
    ])
  })

  it("is found in the roots of older releases; its absence is cached for a while", async () => {
    const rooted = (found: boolean): Answering => {
      return (request, response) => {
        const list = found ? lists[request.url!] : undefined
        if (list !== undefined) return json(response, list)
        return /\/\d+\/$/.test(request.url!) ? sites()(request, response) : response.writeHead(404).end()
      }
    }
    netbox.answers(rooted(false))
    await withApi(
      netbox.url,
      async (fetch) => {
        expect((await fetch([session])).map(shown)).toEqual(["NoEndpoint"])
        const { length } = netbox.requests()
        expect((await fetch([session])).map(shown)).toEqual(["NoEndpoint"])
        expect(netbox.requests().length).toBe(length)
        netbox.answers(rooted(true))
        await expect.poll(async () => (await fetch([session])).map(shown)).toEqual(["site 5"])
        expect(netbox.requests().at(-1)).toBe("GET /api/plugins/bgp/bgp-sessions/5/")
      },
      { pace: 0.001 }
    )
  })

  it("is not searched for under a name that is none", async () => {
    await withApi(netbox.url, async (fetch) => {
      const types = ["site", "a.b.c", "../x.y", "a.b?c"].map((type) => ({ type, objectId: "5" }))
      expect((await fetch(types)).map(shown)).toEqual(["NoEndpoint", "NoEndpoint", "NoEndpoint", "NoEndpoint"])
    })
    expect(netbox.requests()).toEqual([])
  })
})
