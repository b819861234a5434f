/** Lists of objects that are large, or refer to many others: what is read and what is answered is bounded. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { replyLimits } from "../../src/postgres/ReplyLimit.ts"
import { answerCharsMax } from "../../src/http/wire/JsonText.ts"
import { type Api, startApi } from "../support/Api.ts"
import type { List } from "../support/Client.ts"

const platforms = "/api/dcim/platforms/"
const sites = "/api/dcim/sites/"

/** Objects with JSON of a megabyte each: twice the limit of a reply, because its bytes are counted in intervals. */
const large = 80
const characters = 1_000_000

/** Objects with so many tags each: their rows are small. */
const tagged = 300
const tags = 1000

let api: Api

beforeAll(async () => {
  api = await startApi({ REQUEST_STATEMENT_TIMEOUT: "60 seconds" })
  await api.database.sql.query(
    `insert into dcim_platform (name, slug, napalm_args)
     select 'p' || n, 'p' || n, jsonb_build_object('text', repeat('x', ${characters})) from generate_series(1, ${large}) n`
  )
  await api.database.sql.query(
    `insert into extras_tag (name, slug) select 'tag ' || n, 'tag-' || n from generate_series(1, ${tags}) n`
  )
  await api.database.sql.query(
    `insert into dcim_site (name, slug, tags)
     select 's' || n, 's' || n, (select array_agg(id order by id) from extras_tag) from generate_series(1, ${tagged}) n`
  )
})
afterAll(() => api.stop())

describe("a list of large objects", () => {
  it("has more than a statement may return", () => expect(large * characters).toBeGreaterThan(2 * replyLimits.one))

  it("is refused with the limit and the way out, however often, and others are answered", async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => api.call("GET", `${platforms}?limit=0`)))
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([413, 503]))).toEqual(new Set())
    const refused = await api.call("GET", `${platforms}?limit=0`)
    expect([refused.status, refused.json]).toEqual([
      413,
      { detail: expect.stringMatching(/more than 32 MiB .*\(limit\)/) }
    ])
    // The statements that were ended may still occupy their connections.
    const count = async () => (await api.call<List>("GET", `${sites}?limit=1`)).json.count
    await expect.poll(count).toBe(tagged)
  })

  it("is answered in smaller pages, and whole as a file", async () => {
    const page = await api.call<List>("GET", `${platforms}?limit=20`)
    expect([page.status, page.json.count, page.json.results.length]).toEqual([200, large, 20])
    expect(page.text.length).toBeGreaterThan(20 * characters)
    for (const format of ["json", "csv"]) {
      const file = await api.call("GET", `${platforms}export/?format=${format}`)
      expect([format, file.status, file.text.match(/x{1000000}/g)?.length]).toEqual([format, 200, large])
      const slugs = new Set(file.text.match(/\bp\d+\b/g))
      expect([format, slugs.size]).toEqual([format, large])
    }
  })

  it("is written in parts only", async () => {
    const ids = Array.from({ length: large }, (_, at) => ({ id: at + 1, description: "changed" }))
    const refused = await api.call("PATCH", platforms, ids)
    expect([refused.status, refused.json]).toEqual([413, { detail: expect.stringContaining("32 MiB") }])
    expect((await api.call<List>("GET", `${platforms}?description=changed&brief=1&limit=1`)).json.count).toBe(0)
    expect((await api.call("PATCH", platforms, ids.slice(0, 20))).status).toBe(200)
  })
})

describe("a list of objects that refer to many others", () => {
  it("is refused before its text is made whole, and answered with less of each object", async () => {
    const refused = await api.call("GET", `${sites}?limit=1000`)
    expect([refused.status, refused.json]).toEqual([413, { detail: expect.stringContaining(`${answerCharsMax}`) }])
    for (const less of ["brief=true", "fields=id,name", "omit=tags"]) {
      const page = await api.call<List>("GET", `${sites}?limit=1000&${less}`)
      expect([less, page.status, page.json.results.length]).toEqual([less, 200, tagged])
    }
  })

  it("is written, and then shown briefly", async () => {
    const { results } = (await api.call<List>("GET", `${sites}?limit=1000&brief=true`)).json
    const changes = results.map(({ id }) => ({ id, description: "changed" }))
    const changed = await api.call<ReadonlyArray<object>>("PATCH", sites, changes)
    expect(changed.status).toBe(200)
    expect(changed.json[0]).toEqual({ id: results[0]!.id, url: expect.any(String), display: results[0]!.name })
    expect((await api.call<List>("GET", `${sites}?description=changed&limit=1`)).json.count).toBe(tagged)
  })
})
