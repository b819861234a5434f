/** The search of all objects: what it finds by shape, and what it costs others. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { openSql } from "../support/Sql.ts"
import { eventually } from "../support/Eventually.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const search = async (text: string, token: string) => {
  const address = `${api.service.url}/search/?q=${encodeURIComponent(text)}`
  const response = await fetch(address, { headers: { authorization: `Token ${token}` } })
  return response.text()
}

interface Change {
  readonly id: number
  readonly request_id: string
}

/** Makes a site; answers its id, and its change when that is in the change log. */
const makeSite = async (name: string) => {
  const site = await api.call<{ readonly id: number }>("POST", "/api/dcim/sites/", named(name))
  const path = `/api/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=${site.json.id}`
  const change = await eventually("the change is logged", async () => {
    const list = await api.call<{ readonly results: ReadonlyArray<Change> }>("GET", path)
    return list.json.results[0]
  })
  return { site: site.json.id, change: change! }
}

describe("a search", () => {
  it("finds an object by id, and a change by request id and LSN", async () => {
    const token = await api.newToken()
    const { site, change } = await makeSite("Aachen")
    expect(await search(`${site}`, token)).toContain(`href="/dcim/sites/${site}/"`)
    const ofChange = `href="/extras/object-changes/${change.id}/"`
    expect(await search(change.request_id.toUpperCase(), token)).toContain(ofChange)
    const [row] = await api.database.sql.query<{ readonly lsn: string }>(
      `select ('0/0'::pg_lsn + (position & (1::bigint << 52) - 1))::text as lsn from extras_objectchange where id = ${change.id}`
    )
    expect(await search(String(row!.lsn), token)).toContain(ofChange)
  })

  it("by shape shows nothing that the reader may not view", async () => {
    const { site, change } = await makeSite("Bonn")
    const reader = await makeUser(api, "regions", { types: ["dcim.region"], actions: ["view"] })
    expect(await search(`${site}`, reader.token)).not.toContain(`/dcim/sites/${site}/`)
    expect(await search(change.request_id, reader.token)).not.toContain(`/extras/object-changes/${change.id}/`)
  })

  it("by an LSN finds the last visible commit, also beyond the end of the log and behind hidden commits", async () => {
    const { change } = await makeSite("Celle")
    const hidden = await api.call<{ readonly id: number }>("POST", "/api/dcim/regions/", named("Hidden"))
    await eventually("the hidden change is logged", async () => {
      const path = `/api/extras/object-changes/?changed_object_type=dcim.region&changed_object_id=${hidden.json.id}`
      return (await api.call<{ readonly count: number }>("GET", path)).json.count === 1
    })
    const types = ["dcim.site", "extras.objectchange"]
    const reader = await makeUser(api, "sites", { types, actions: ["view"] })
    const ofChange = `href="/extras/object-changes/${change.id}/"`
    for (const lsn of ["FFFFFFFF/FFFFFFFF", "00FFFFFF/0"]) expect(await search(lsn, reader.token)).toContain(ofChange)
  })

  thorough("ends in time, tells so, and leaves connections to others", async () => {
    const [searcher, other] = [
      await api.newToken(),
      await makeUser(api, "other", { types: ["dcim.manufacturer"], actions: ["view"] })
    ]
    const sql = openSql(api.database.databaseUrl)
    await sql.query("begin")
    await sql.query("lock table circuits_circuittype in access exclusive mode")
    const ended: Array<string> = []
    const searches = Array.from({ length: 30 }, async () => {
      ended.push(await search("leaf", searcher))
    })
    await eventually("searches wait for the table", async () => {
      const [waiting] = await api.database.sql.query<{ readonly n: number }>(
        "select count(*)::int as n from pg_locks l where not granted and relation = 'circuits_circuittype'::regclass"
      )
      return waiting!.n >= 8
    })
    expect((await other.call("GET", "/api/dcim/manufacturers/")).status).toBe(200)
    expect(ended).toEqual([])
    await Promise.any(searches)
    expect(ended[0]).toContain("The search ended before it had read every type.")
    await sql.query("rollback")
    await sql.close()
    await Promise.all(searches)
  })
})
