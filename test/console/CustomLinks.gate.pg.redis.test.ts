/** Custom links on the pages of objects: rendered by templates, which are hostile input. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { makeUser, userPassword } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

let api: Api
let site: number
/** The actions of a page. */
let actionsOf: (path: string) => Promise<string>

const logIn = async (name = "admin", secret?: string) => {
  const browser = openBrowser(api.service.url)
  await browser.logIn(name, secret)
  return async (path: string) => {
    const reply = await browser.fetch(path, { headers: { accept: "text/html" } })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`)
    return /<div class="ph-act">[^]*?\n<\/div>/.exec(await reply.text())![0]
  }
}

beforeAll(async () => {
  api = await sharedApi()
  site = await api.make("dcim/sites", { ...named("Oslo"), facility: `<b>"F'&1` })
  actionsOf = await logIn()
})
beforeEach(() => api.database.superuser.query("delete from extras_customlink"))
afterAll(() => api.stop())

const link = (name: string, fields: Json = {}) =>
  api.make("extras/custom-links", {
    content_types: ["dcim.site"],
    name,
    link_text: name,
    link_url: "https://example.com/",
    ...fields
  })

/** The actions of the page, once they match: the workers may not have started, or may be slow, when it is first made. */
const shown = async (patterns: ReadonlyArray<RegExp>, get = actionsOf): Promise<string> => {
  let actions = ""
  const missing = async () => {
    actions = await get(`/dcim/sites/${site}/`)
    return patterns.filter((pattern) => !pattern.test(actions)).map(String)
  }
  await expect.poll(missing).toEqual([])
  return actions
}

describe("a custom link", () => {
  it("is a button with what its templates make of the object, its reader and the request", async () => {
    await link("graphs", {
      link_text: "Graphs of {{ obj.name }} for {{ user.username }}",
      link_url:
        "https://example.com/?s={{ object.slug }}&f={{ object.facility }}&p={{ request.path }}&d={{ debug }}&m={{ perms.dcim.add_site }}",
      button_class: "teal",
      new_window: true
    })
    const button = /<a class="btn btn-sm link-teal"[^>]*>Graphs of Oslo for admin<\/a>/
    const [anchor] = button.exec(await shown([button]))!
    expect(anchor).toContain(
      `href="https://example.com/?s=oslo&amp;f=%3Cb%3E%22F%27&amp;1&amp;p=/dcim/sites/${site}/&amp;d=False&amp;m=True"`
    )
    expect(anchor).toContain('target="_blank" rel="noopener noreferrer"')
  })

  it("is in the menu of its group, by weight, and only if it is enabled, of the type, and has a text", async () => {
    await link("second", { group_name: "Tools", weight: 20 })
    await link("first", { group_name: "Tools", weight: 10, button_class: "red" })
    await link("off", { enabled: false })
    await link("other", { content_types: ["dcim.device"] })
    await link("blank", { link_text: "{% if object.name == 'Bergen' %}blank{% endif %}" })
    await link("alone")
    const page = await shown([
      />alone</,
      /<summary class="btn btn-sm link-red">Tools[^]*<li><a href[^>]*>first<\/a><\/li>\s*<li><a href[^>]*>second<\/a><\/li>/
    ])
    for (const name of ["off", "other", "blank"]) expect(page).not.toContain(`>${name}<`)
  })

  it("has no markup of its own, and no address that runs a script", async () => {
    await link("script", {
      link_text: "<img src=x onerror=alert(1)>run &lt;it&gt;",
      link_url: "java{{ '\\n' }}script:alert(1)"
    })
    await link("direct", { link_url: "javascript:alert(1)" })
    const page = await shown([
      /disabled title="The address has a scheme that is not allowed\.">run &lt;it&gt;</,
      /disabled title="The address has a scheme that is not allowed\.">direct</
    ])
    expect(page).not.toContain("onerror")
  })

  it("that fails is a disabled button with the reason, and a slow or large one leaves the page and the others alone", async () => {
    await link("broken", { link_text: "{{ object.nope.more }}" })
    await link("endless", {
      link_text: "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    })
    await link("large", { link_text: "{{ 'x' * 2000 }}" })
    await link("huge", { link_url: "{{ 'x' * 900000 }}" })
    await link("fine")
    const page = await shown([
      /disabled title="[^"]*">endless</,
      /disabled title="[^"]*nope[^"]*">broken</,
      /disabled title="[^"]*1,000 are the most[^"]*">large</,
      /disabled title="[^"]*8,192 are the most[^"]*">huge</,
      /href="https:\/\/example.com\/"[^>]*>fine</
    ])
    expect(page).toContain("Clone")
  })

  it("is refused where a template cannot be read, and shown to readers who may view it alone", async () => {
    const refused = await api.call<Json>("POST", "/api/extras/custom-links/", {
      ...{ content_types: ["dcim.site"], name: "x", link_text: "{{ object.name", link_url: "{% if %}" }
    })
    expect([refused.status, Object.keys(refused.json)]).toEqual([400, ["link_text", "link_url"]])
    const id = await link("seen")
    await link("hidden")
    await makeUser(
      api,
      "reader",
      { types: ["dcim.site"], actions: ["view"] },
      { types: ["extras.customlink"], actions: ["view"], constraints: { id } }
    )
    const page = await shown([/>seen</], await logIn("reader", userPassword))
    expect(page).not.toContain(">hidden<")
  })
})
