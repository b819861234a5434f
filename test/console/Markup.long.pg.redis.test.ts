/** Markup in the texts of objects reaches no page as markup: every text of some types, on every page of these. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pages } from "../../src/console/Pages.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { registry } from "../../src/inventory/Registry.ts"
import { type Browser, openBrowser } from "../auth/Browser.ts"
import { type Existing, makeWorld } from "../support/AnyObject.ts"
import { type Api, startApi } from "../support/Api.ts"
import { sampleOf } from "../support/Seed.ts"

const hostile = `"><img src=x onerror=alert(1)>'<script>alert(2)</script><hx-partial hx-target="body">`

/** Parts of the text that stand in no page unless it is escaped; a column may have room for a part of it only. */
const raw = /<img src=x|<script>a|<hx-/

let api: Api
let existing: Existing
let browser: Browser

/** Sets every text and every JSON of the type's objects, as far as the database lets it. */
const spoil = async ({ table, fields, columns }: ObjectType): Promise<void> => {
  for (const [name, { type, choices, reference, maxLength = 500, describes }] of Object.entries(fields)) {
    if (choices !== undefined || reference !== undefined || describes !== undefined || name.endsWith("_type")) continue
    const text = `left($1::text || id, ${maxLength})`
    const value =
      type === "text"
        ? text
        : type === "text[]"
          ? `array[${text}]`
          : type === "jsonb"
            ? `jsonb_build_object($1::text, $1::text)`
            : undefined
    if (value === undefined) continue
    // A value that the database refuses cannot be stored there.
    await api.database.sql.query(`update ${table} set ${columns[name]!} = ${value}`, [hostile]).catch(() => {})
  }
}

beforeAll(async () => {
  api = await startApi()
  existing = await makeWorld(api.call, 2)
  browser = openBrowser(api.service.url)
  await browser.logIn()
  const spoilt = [...registry.values()].filter(({ kind, isReadOnly }) => kind === "object" && !isReadOnly)
  for (const type of spoilt) if (type.app !== "users") await spoil(type)
})
afterAll(() => api.stop())

const get = async (path: string) => {
  const reply = await browser.fetch(path, { headers: { accept: "text/html" } })
  const isPage = reply.headers.get("content-type")?.startsWith("text/html") === true
  return { status: reply.status, text: isPage ? await reply.text() : "" }
}

const types = sampleOf([...registry.values()], 60, "pages")

/** The pages that a reader can open: those of the first object of each of these types, where the path has an id. */
const everyPath = (): ReadonlyArray<string> =>
  pages.flatMap(({ path, access, methods }) => {
    if (methods.GET === undefined || path.startsWith("/static/")) return []
    if (typeof access === "object" && !types.includes(access)) return []
    const [first] = typeof access === "object" ? existing(access.id) : []
    if (path.includes(":id")) return first === undefined ? [] : [path.replace(":id", `${first}`)]
    return path.includes(":") ? [] : [path]
  })

describe("markup in every text", () => {
  it("is a text on every page, and nobody gets an error", async () => {
    const found: Array<string> = []
    let seen = 0
    for (const path of [...everyPath(), `/search/?q=${encodeURIComponent("onerror")}`]) {
      const { status, text } = await get(path)
      if (status >= 500) found.push(`${path}: ${status}`)
      const at = raw.exec(text)?.index
      if (at !== undefined) found.push(`${path}: ${text.slice(Math.max(at - 60, 0), at + 60)}`)
      if (text.includes("&lt;img src=x")) seen += 1
    }
    expect(found).toEqual([])
    // Most lists and pages show some of it.
    expect(seen).toBeGreaterThan(types.length)
  })

  it("is a text in the change log and in pages of the API", async () => {
    const site = existing("dcim.site")[0]!
    const changes = await api.call<{ readonly results: ReadonlyArray<{ readonly id: number }> }>(
      "GET",
      `/api/extras/object-changes/?limit=20&ordering=-time`
    )
    for (const path of [
      ...changes.json.results.map(({ id }) => `/extras/object-changes/${id}/`),
      "/api/dcim/sites/",
      `/api/dcim/sites/${site}/`,
      `/dcim/sites/?q=${encodeURIComponent(hostile)}&columns=${encodeURIComponent(hostile)}`,
      `/api/dcim/sites/?q=${encodeURIComponent(hostile)}&${encodeURIComponent(hostile)}=1`,
      `/${encodeURIComponent(hostile)}/`
    ]) {
      const { status, text } = await get(path)
      const at = raw.exec(text)?.index
      expect([path, status < 500, at === undefined ? "" : text.slice(at - 80, at + 60)]).toEqual([path, true, ""])
    }
  })
})
