/** A service under a path, behind a proxy that strips the path and one that does not: nothing leads out of the path. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { pages } from "../../src/console/Pages.ts"
import { openBrowser } from "../auth/Browser.ts"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { restOf } from "../../src/command/mcp/Rest.ts"
import { eventually } from "../support/Eventually.ts"
import { type PathProxy, startPathProxy } from "../support/PathProxy.ts"
import { startReceiver } from "../support/Receiver.ts"
import { startService } from "../support/Service.ts"
import { fewOf, thorough } from "../support/Seed.ts"

const path = "/tools/rackwire"

let api: Api
let proxy: PathProxy
let webhook: number

beforeAll(async () => {
  const [port] = await freePorts(1)
  proxy = await startPathProxy(path, port!)
  // Live pages are made anew soon.
  api = await startApi({ BASE_URL: proxy.url, PORT: `${port}` }, { pace: 0.1 })
  const { url } = await startReceiver()
  webhook = await api.make("extras/webhooks", {
    ...{ name: "crawled", content_types: ["dcim.site", "extras.tag"], type_create: true, payload_url: url }
  })
  await api.make("dcim/sites", named("Crawled"))
  await eventually("a delivery", async () => {
    const { json } = await api.call<{ readonly count: number }>("GET", "/api/extras/deliveries/")
    return json.count > 0
  })
})

afterAll(async () => {
  await api.stop()
  await proxy.stop()
})

it("a path that is one of the service's own is refused at the start", async () => {
  const started = startService(
    { ...environmentOf(api.database), BASE_URL: "http://127.0.0.1/dcim" },
    { roles: ["api"] }
  )
  await expect(started).rejects.toThrow("BASE_URL: its path /dcim is one of the service's own")
})

/** Attributes whose values begin with a slash and are no addresses that a browser follows. */
const texts: ReadonlySet<string> = new Set(["value", "data-path", "title", "placeholder", "content"])

const unescaped = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"')

/** The values of a page's attributes that are addresses of this host. */
const addressesIn = (markup: string): ReadonlyArray<string> =>
  [...markup.matchAll(/\s([\w:-]+)="(\/[^"]*)"/g)].flatMap(([, name, value]) =>
    texts.has(name!) ? [] : [unescaped(value!)]
  )

/** Most pages of one crawl. */
const pagesMax = 400

/** Kinds of pages: lists of objects and their pages have the same links for every id and query. */
const kindOf = (address: string) => address.replace(/\?.*/s, "").replaceAll(/\d+/g, "1")

const kinds = [true, false] as const

describe.each(fewOf(kinds, 1, "proxies"))("behind a proxy that strips the path: %s", (strips) => {
  const visitor = () => {
    proxy.strips = strips
    return openBrowser(new URL(proxy.url).origin, { accept: "text/html" })
  }
  const loggedIn = async () => {
    const browser = visitor()
    const body = { username: "admin", password: "correct horse battery staple", next: "/dcim/" }
    const reply = await browser.submit(`${path}/login/`, body)
    expect([reply.status, reply.headers.get("location")]).toEqual([302, `${path}/dcim/`])
    return browser
  }

  it("every address of a page stays within the path, and none is broken", async () => {
    const browser = await loggedIn()
    const own = pages.flatMap(({ path: each, methods }) =>
      each.includes(":") || methods.GET === undefined || each === "/logout/" ? [] : [path + each]
    )
    const queue = [`${path}/`, `${path}/api/`, `${path}/api/dcim/sites/?limit=1&offset=0`, ...own]
    const seen = new Set(queue.map(kindOf))
    const outside: Array<string> = []
    const broken: Array<string> = []
    let count = 0
    while (queue.length > 0 && count < pagesMax) {
      const address = queue.shift()!
      const reply = await browser.fetch(address)
      const type = reply.headers.get("content-type") ?? ""
      const text = await reply.text()
      count++
      const location = reply.headers.get("location")
      // Addresses of forms may answer other methods alone, or only where objects are selected.
      if (reply.status === 404 || reply.status >= 500) broken.push(`${address}: ${reply.status}`)
      const found = type.startsWith("text/html") ? [...addressesIn(text)] : []
      if (type.startsWith("text/css"))
        for (const [, url] of text.matchAll(/url\((?!"?data:)"?([^")]+)"?\)/g))
          found.push(new URL(url!, proxy.url.replace(path, "") + address).pathname)
      if (location !== null) found.push(new URL(location, proxy.url).pathname)
      for (const line of reply.headers.getSetCookie())
        if (!line.includes(`Path=${path}/`)) outside.push(`${address}: cookie ${line}`)
      for (const each of found) {
        if (!each.startsWith(`${path}/`)) outside.push(`${address}: ${each}`)
        else if (!seen.has(kindOf(each)) && !each.includes("/logout/")) {
          seen.add(kindOf(each))
          queue.push(each)
        }
      }
    }
    expect(outside).toEqual([])
    expect(broken).toEqual([])
    expect(proxy.outside).toEqual([])
    expect(count).toBeGreaterThan(200)
  })

  it("redirects stay within the path, and the path alone gets its slash", async () => {
    const browser = await loggedIn()
    const to = async (address: string) => {
      const reply = await browser.fetch(address)
      return [reply.status, reply.headers.get("location")]
    }
    expect(await to(`${path}/dcim/sites`)).toEqual([301, `${path}/dcim/sites/`])
    expect(await to(`${path}/api/dcim/sites?limit=1`)).toEqual([301, `${path}/api/dcim/sites/?limit=1`])
    // A proxy that strips the path makes it a slash itself.
    expect(await to(`${path}?a=1`)).toEqual(strips ? [200, null] : [301, `${path}/?a=1`])
    const stranger = await visitor().fetch(`${path}/dcim/sites/`)
    expect([stranger.status, stranger.headers.get("location")]).toEqual([302, `${path}/login/?next=%2Fdcim%2Fsites%2F`])
  })

  it("a form creates, changes and deletes an object", async () => {
    const browser = await loggedIn()
    const name = `By a form ${strips}`
    const added = await browser.submit(`${path}/dcim/sites/add/`, { ...named(name), status: "active" })
    const site = added.headers.get("location")!
    expect([added.status, site]).toEqual([302, expect.stringMatching(`^${path}/dcim/sites/\\d+/$`)])
    expect(await (await browser.fetch(site)).text()).toContain(name)
    const deleted = await browser.submit(`${site}delete/`, {})
    expect([deleted.status, deleted.headers.get("location")]).toEqual([302, `${path}/dcim/sites/`])
  })

  it("a page that follows what changes gets parts with public addresses", async () => {
    const browser = await loggedIn()
    const stop = new AbortController()
    const headers = { accept: "text/event-stream" }
    const stream = await browser.fetch(`${path}/extras/webhooks/${webhook}/`, { headers, signal: stop.signal })
    expect(stream.headers.get("content-type")).toContain("text/event-stream")
    expect(stream.headers.get("x-accel-buffering")).toBe("no")
    const parts = stream.body!.pipeThrough(new TextDecoderStream())
    let text = ""
    for await (const part of parts) {
      if (text === "") await api.make("extras/tags", named(`Tag ${strips}`))
      text += part
      if (text.includes("href")) break
    }
    stop.abort()
    const markup = [...text.matchAll(/^data: (.*)$/gm)]
      .flatMap(([, data]) => Object.values(JSON.parse(data!) as Record<string, string>))
      .join("")
    const found = addressesIn(markup)
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter((each) => !each.startsWith(`${path}/`))).toEqual([])
  })

  thorough("the API names public addresses, and its description the server", async () => {
    proxy.strips = strips
    const { json } = await api.call<{
      readonly next: string
      readonly results: ReadonlyArray<{ readonly url: string }>
    }>(...(["GET", "/api/dcim/regions/?limit=1"] as const))
    expect(json.next).toBeNull()
    await api.makeAll("dcim/regions", [named(`One ${strips}`), named(`Two ${strips}`)])
    const list = await api.call<typeof json>("GET", "/api/dcim/regions/?limit=1")
    expect(list.json.next).toMatch(`${proxy.url}/api/dcim/regions/?`)
    expect(list.json.results[0]!.url).toMatch(`${proxy.url}/api/dcim/regions/`)
    expect((await fetch(list.json.next, { headers: { authorization: `Token ${await api.newToken()}` } })).status).toBe(
      200
    )
    await api.call("DELETE", "/api/dcim/regions/", list.json.results)
    const schema = await api.call("GET", "/api/schema/?format=json")
    expect((JSON.parse(schema.text) as { readonly servers: unknown }).servers).toEqual([{ url: proxy.url }])
    // As `rackwire mcp` reads it with RACKWIRE_URL.
    const rest = restOf({ url: proxy.url, token: await api.newToken() })
    expect(await rest("GET", "/api/dcim/sites/", { query: { name: "Crawled" } })).toMatchObject({ count: 1 })
    expect(proxy.outside).toEqual([])
  })
})
