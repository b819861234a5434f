/** Objects of a source from a REST API that is slow, hostile or away, on a real socket. */
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
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

describe("an API", () => {
  const html: Answering = (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")
  const deep = `{"id":5,"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
  const endless: Answering = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    const write = (): void => {
      while (!response.destroyed && response.write(`"${"x".repeat(65_536)}"`));
    }
    response.on("drain", write)
    write()
  }
  const bomb = gzipSync("x".repeat(10_000_000))
  const status =
    (code: number): Answering =>
    (_, response) =>
      response.writeHead(code).end("secret text")

  it.each<readonly [string, Answering, string, string]>([
    ["refuses the token", status(403), "Forbidden", "answers with 403"],
    ["does not accept the token", status(401), "Forbidden", "answers with 401"],
    ["answers HTML", html, "Malformed", "answers with no JSON"],
    ["answers half an object", (_, response) => json(response, `{"id":5,`), "Malformed", "no object of NetBox"],
    ["answers a wrong object", (_, response) => json(response, { id: 6, name: "x" }), "Malformed", "another object"],
    ["answers too deep JSON", (_, response) => json(response, deep), "Malformed", "nested more than 600 levels"],
    ["answers an endless body", endless, "TooLarge", "more than 2097152 bytes"],
    [
      "answers a large object",
      (_, response) => json(response, { id: 5, a: "x".repeat(300_000) }),
      "TooLarge",
      "256 KB"
    ],
    ["answers compressed", (_, response) => json(response, { id: 5 }, { "content-encoding": "gzip" }), "Malformed", ""],
    ["answers a bomb", (_, r) => r.writeHead(200, { "content-encoding": "gzip" }).end(bomb), "Malformed", "compressed"],
    ["answers 304 unasked", status(304), "Malformed", "no ETag was sent"],
    ["answers 500", status(500), "Status", "answers with 500"],
    ["answers 429", status(429), "Busy", "answers with 429"],
    ["closes the connection", (_, response) => response.destroy(), "Refused", "GET /api/dcim/sites/5/"]
  ])("that %s gives an absent object", async (_, answering, reason, message) => {
    const answer = await siteFive(answering)
    expect(answer).toMatchObject({ _tag: "Absent", reason })
    expect(answer._tag === "Absent" ? answer.message : "").toContain(message)
    expect(JSON.stringify(answer)).not.toMatch(/secret text|0123456789abcdef/)
  })

  it("that redirects elsewhere is not followed, and its target gets no token", async () => {
    const other = await startNetbox()
    const answer = await siteFive((_, r) => r.writeHead(302, { location: `${other.url}/api/dcim/sites/5/` }).end())
    expect(answer).toMatchObject({ reason: "Redirected" })
    expect(answer._tag === "Absent" ? answer.message : "").toContain(`redirects to ${other.url}, where the token`)
    expect(other.requests()).toEqual([])
    await other.stop()
  })

  it("that is not there refuses, and one that the target policy refuses is blocked without a connection", async () => {
    const gone = await startNetbox()
    await gone.stop()
    await withApi(gone.url, async (fetch) => expect((await fetch([site(5)])).map(shown)).toEqual(["Refused"]))
    expect(await siteFive(sites(), { environment: { WEBHOOK_TARGET_POLICY: "public" } })).toMatchObject({
      reason: "Blocked"
    })
    await withApi("http://169.254.169.254", async (fetch) =>
      expect((await fetch([site(5)])).map(shown)).toEqual(["Blocked"])
    )
    expect(netbox.requests()).toEqual([])
  })

  it("that no URL names, or with a token that no header takes, is not requested", async () => {
    await withApi("netbox", async (fetch) => expect((await fetch([site(5)])).map(shown)).toEqual(["Blocked"]))
    expect(await siteFive(sites(), { token: "a\r\nb: c" })).toMatchObject({ reason: "Forbidden" })
    expect(netbox.requests()).toEqual([])
  })

  it("that is slow delays a call until its deadline: objects that were read by then are found", async () => {
    netbox.answers((request, response) => (request.url!.includes("racks") ? undefined : sites()(request, response)))
    await withApi(netbox.url, async (fetch) => {
      const answers = await fetch([site(5), { type: "dcim.rack", objectId: "5" }], 1500)
      expect(answers.map(shown)).toEqual(["site 5", "Timeout"])
      expect(answers[1]).toMatchObject({ message: "The API has not answered within 1500 ms." })
    })
  })

  it("that refuses the objects of a type is not requested for them for a while, and for others", async () => {
    const racks = (request: { readonly url?: string | undefined }) => request.url!.includes("racks")
    const forbidding: Answering = (request, response) =>
      racks(request) ? response.writeHead(403).end() : sites()(request, response)
    netbox.answers(forbidding)
    const rack = { type: "dcim.rack", objectId: "5" }
    await withApi(
      netbox.url,
      async (fetch) => {
        for (const _ of [1, 2, 3, 4]) expect((await fetch([rack])).map(shown)).toEqual(["Forbidden"])
        expect(netbox.requests().length).toBe(1)
        expect((await fetch([site(5)])).map(shown)).toEqual(["site 5"])
        netbox.answers(sites())
        await expect.poll(async () => (await fetch([rack])).map(shown)).toEqual(["site 5"])
      },
      { pace: 0.005 }
    )
  })

  it("that fails several times is not requested during the back-off, and is used once it is well again", async () => {
    netbox.answers(status(500))
    await withApi(
      netbox.url,
      async (fetch) => {
        for (const _ of [1, 2, 3]) expect((await fetch([site(5)])).map(shown)).toEqual(["Status"])
        expect((await fetch([site(5), site(6)])).map(shown)).toEqual(["BackOff", "BackOff"])
        expect(netbox.requests().length).toBe(3)
        netbox.answers(sites())
        const racks = [5, 6].map((id) => ({ type: "dcim.rack", objectId: String(id) }))
        const all = [site(5), site(6), ...racks]
        await expect.poll(async () => (await fetch(all)).map(shown)).toEqual(["site 5", "site 6", "site 5", "site 6"])
        expect(netbox.requests().length).toBe(2)
      },
      { pace: 0.5 }
    )
  })

  it("that never answers costs few calls their deadline, and then none", async () => {
    netbox.answers(() => {})
    await withApi(netbox.url, async (fetch) => {
      for (const _ of [1, 2, 3]) expect((await fetch([site(5)], 300)).map(shown)).toEqual(["Timeout"])
      expect((await fetch([site(5)], 60_000)).map(shown)).toEqual(["BackOff"])
    })
    expect(netbox.requests().length).toBe(3)
  })

  it("gets at most four requests at a time", async () => {
    let [open, most] = [0, 0]
    netbox.answers((request, response) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open -= 1
        sites()(request, response)
      }, 50)
    })
    await withApi(netbox.url, async (fetch) => {
      const types = ["site", "rack", "region", "device", "location", "cable", "interface", "platform"]
      const objects = types.map((type) => ({ type: `dcim.${type}`, objectId: "5" }))
      const calls = await Promise.all([fetch(objects, 60_000), fetch(objects.toReversed(), 60_000)])
      expect(new Set(calls.flat().map(shown))).toEqual(new Set(["site 5"]))
    })
    expect(most).toBe(4)
  })
})
