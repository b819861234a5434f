/** A creation by a token that is known from its last request: the statement that inserts checks it. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { request } from "../support/Client.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

/** Asks the service to make a site. */
const creates = async (token: string, name: string) =>
  request<{ readonly id: number }>(api.service.url, token, "POST", "/api/dcim/sites/", { name, slug: name })

/** A token that the service knows, since its use is noted. */
const knownToken = async () => {
  const token = await api.newToken()
  const noted = "select 1 as one from users_token where key like $1 and last_used is not null"
  const isNoted = async () => (await api.database.sql.query(noted, [`${token.slice(-6)}%`])).length > 0
  while (!(await isNoted())) await request(api.service.url, token, "GET", "/api/dcim/sites/")
  await request(api.service.url, token, "GET", "/api/dcim/sites/")
  return token
}

test("makes the object once", async () => {
  const token = await knownToken()
  for (const name of ["known-1", "known-2"]) expect((await creates(token, name)).status).toBe(201)
  const made = await api.database.sql.query("select slug from dcim_site where slug like 'known-%' order by slug")
  expect(made).toEqual([{ slug: "known-1" }, { slug: "known-2" }])
})

test("writes nothing once the token has changed", async () => {
  const { sql } = api.database
  const statuses: Array<number> = []
  for (const change of [
    "write_enabled = false",
    "expires = now()",
    "allowed_ips = '{10.0.0.0/8}'",
    "key = repeat('0', 40)"
  ]) {
    const token = await knownToken()
    await sql.query(`update users_token set ${change} where key like $1`, [`${token.slice(-6)}%`])
    statuses.push((await creates(token, "revoked")).status)
    await sql.query("delete from users_token where key = repeat('0', 40)")
  }
  expect(statuses).toEqual([403, 403, 403, 403])
  expect(await sql.query("select id from dcim_site where slug = 'revoked'")).toEqual([])
})

test("is explained where it is refused, as by a token that is not known", async () => {
  const token = await knownToken()
  expect((await creates(token, "taken")).status).toBe(201)
  const again = await creates(token, "taken")
  expect(again.status).toBe(400)
  expect(again.json).toEqual({
    name: ["site with this name already exists."],
    slug: ["site with this slug already exists."]
  })
  const wrong = await request(api.service.url, token, "POST", "/api/dcim/sites/", { name: "" })
  expect(wrong.json).toEqual({ name: ["This field may not be blank."], slug: ["This field is required."] })
})

test("is done once in a transaction where one statement cannot do it, and not at all by a changed token", async () => {
  const { sql } = api.database
  const ranges = async (token: string) =>
    (
      await request(api.service.url, token, "POST", "/api/ipam/ip-ranges/", {
        start_address: "10.77.0.1/24",
        end_address: "10.77.0.9/24"
      })
    ).status
  const made = () => sql.query("select 1 as one from ipam_iprange where host(start_address) = '10.77.0.1'")
  const revoked = await knownToken()
  await sql.query("update users_token set write_enabled = false where key like $1", [`${revoked.slice(-6)}%`])
  expect([await ranges(revoked), await made()]).toEqual([403, []])
  expect([await ranges(await knownToken()), await made()]).toEqual([201, [{ one: 1 }]])
})

test("of a type with custom fields checks the token in the statement that inserts nothing", async () => {
  const { sql } = api.database
  const field = { name: "known_note", type: "text", content_types: ["dcim.site"] }
  expect((await api.call("POST", "/api/extras/custom-fields/", field)).status).toBe(201)
  const token = await knownToken()
  expect((await creates(token, "with-fields")).status).toBe(201)
  expect((await creates(token, "with-fields")).status).toBe(400)
  await sql.query("update users_token set write_enabled = false where key like $1", [`${token.slice(-6)}%`])
  expect((await creates(token, "with-fields-2")).status).toBe(403)
  expect(await sql.query("select slug from dcim_site where slug like 'with-fields%'")).toEqual([
    { slug: "with-fields" }
  ])
})
