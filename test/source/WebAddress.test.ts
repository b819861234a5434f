/** Links to objects of a source: what of an event, which is hostile, becomes an address. */
import { describe, expect, it } from "vitest"
import { webAddress } from "../../src/source/WebAddress.ts"

const apiUrl = "https://netbox.example.com"
const site = { type: "dcim.site", objectId: "5", apiUrl, webUrl: "" }

const addressOf = (data: object, more: Partial<Parameters<typeof webAddress>[0]> = {}) =>
  webAddress({ ...site, data: JSON.stringify(data), ...more })

describe("the address of an object of a source", () => {
  it.each([
    ["display_url", { id: 5, display_url: `${apiUrl}/dcim/sites/5/`, url: `${apiUrl}/api/other/sites/5/` }],
    ["url without /api", { id: 5, url: `${apiUrl}/api/dcim/sites/5/`, display: "AMS1" }],
    ["the declared path, without addresses", { id: 5 }],
    ["the declared path, behind another kind of value", { id: 5, tags: [], url: `${apiUrl}/api/x/5/` }]
  ])("is %s", (_, data) => {
    expect(addressOf(data)).toBe(`${apiUrl}/dcim/sites/5/`)
  })

  it("keeps the path below which NetBox is", () => {
    const below = `${apiUrl}/netbox`
    const given = { apiUrl: `${below}/api/` }
    expect(addressOf({ url: `${below}/api/dcim/sites/5/` }, given)).toBe(`${below}/dcim/sites/5/`)
    expect(addressOf({}, given)).toBe(`${below}/dcim/sites/5/`)
  })

  it("is in the data alone for types that are not declared", () => {
    const zone = { type: "netbox_dns.zone" }
    const page = `${apiUrl}/plugins/netbox-dns/zones/5/`
    expect(addressOf({ url: page.replace("/plugins", "/api/plugins") }, zone)).toBe(page)
    expect(addressOf({ id: 5 }, zone)).toBeUndefined()
  })

  it.each([
    "javascript:alert(1)//5/",
    "data:text/html,<script>/5/",
    `blob:${apiUrl}/5/`,
    "https://evil.example.com/dcim/sites/5/",
    "http://netbox.example.com/dcim/sites/5/",
    "https://netbox.example.com:8443/dcim/sites/5/",
    "https://netbox.example.com@evil.example.com/5/",
    "https://netbox.example.com.evil.example.com/5/",
    "//evil.example.com/5/",
    "/dcim/sites/5/",
    `${apiUrl}/logout/`,
    `${apiUrl}/dcim/sites/6/`,
    `${apiUrl}/dcim/sites/5/delete/`,
    `${apiUrl}/${"a".repeat(2000)}/5/`,
    "\u0000",
    ""
  ])("is not %j", (hostile) => {
    expect(addressOf({ display_url: hostile, url: hostile })).toBe(`${apiUrl}/dcim/sites/5/`)
    expect(addressOf({ display_url: hostile, url: hostile }, { type: "evil.model" })).toBeUndefined()
  })

  it("has no user information, query or fragment", () => {
    expect(addressOf({ display_url: "https://a:b@netbox.example.com/x/5/?next=//evil#f" })).toBe(`${apiUrl}/x/5/`)
  })

  it("is at the address for people, where the API has another one", () => {
    const inside = { apiUrl: "http://netbox:8080/inventory", webUrl: "https://netbox.example.com/" }
    const own = { display_url: `${inside.apiUrl}/dcim/sites/5/`, url: `${inside.apiUrl}/api/dcim/sites/5/` }
    for (const data of [own, { url: own.url }, { id: 5 }])
      expect(addressOf(data, inside)).toBe("https://netbox.example.com/dcim/sites/5/")
    expect(addressOf({ id: 5 }, { ...inside, apiUrl: "" })).toBe("https://netbox.example.com/dcim/sites/5/")
    const elsewhere = { display_url: "http://netbox:8080/other/5/" }
    expect(addressOf(elsewhere, { ...inside, type: "evil.model" })).toBeUndefined()
    expect(addressOf(own, { ...inside, webUrl: "javascript:alert(1)" })).toBe(own.display_url)
  })

  it("is none without the address of the source, or with one that is no URL of HTTP", () => {
    for (const none of ["", "javascript:alert(1)", "netbox.example.com"])
      expect(addressOf({ display_url: `${apiUrl}/dcim/sites/5/` }, { apiUrl: none })).toBeUndefined()
  })

  it("is found in the beginning of data, and in data that is no JSON", () => {
    const whole = JSON.stringify({ url: `${apiUrl}/api/dcim/sites/5/`, display: "x".repeat(50) })
    for (let length = 0; length <= whole.length; length++)
      expect(webAddress({ ...site, data: whole.slice(0, length) })).toBe(`${apiUrl}/dcim/sites/5/`)
    expect(webAddress({ ...site, data: `{"url": "${"\\".repeat(1e5)}` })).toBe(`${apiUrl}/dcim/sites/5/`)
  })
})
