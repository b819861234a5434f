/** A browser behind a proxy that keeps no cookies: what it may leave in the tables. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { rowsMax } from "../../../src/auth/audit/RefusalBudget.ts"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { browserOf, creating, get, html, sites, trusting } from "./Proxied.ts"

let api: Api

beforeAll(async () => {
  api = await startApiAlone({ ...trusting, ...creating })
})

afterAll(() => api.stop())

const countOf = async (statement: string): Promise<number> =>
  (await api.database.sql.query<{ readonly count: number }>(statement))[0]!.count

const sessions = (name: string) =>
  countOf(`select count(*)::int as count from rackwire_session s join users_user u on u.id = s.user_id
            where u.username = '${name}'`)

it("has 20 sessions, of which the one that was used longest ago ends, and a bounded number of rows", async () => {
  const [idle, active] = [browserOf(api, "ann"), browserOf(api, "ann")]
  await idle.fetch("/")
  await active.fetch("/")
  const [before, used] = [idle, active].map(({ cookies }) => cookies.get("sessionid"))
  // The use of a session is noted once a minute: as if the second one was used in an hour.
  await api.database.sql.query(
    "update rackwire_session set last_used = now() + interval '1 hour' where id = (select max(id) from rackwire_session)"
  )
  for (let at = 0; at < rowsMax + 20; at++) {
    expect((await get(api.service, { ...html, "x-remote-user": "ann" }, "/user/")).status).toBe(200)
  }
  expect(await sessions("ann")).toBe(20)
  await active.fetch("/user/")
  expect(active.cookies.get("sessionid")).toBe(used)
  await idle.fetch("/user/")
  expect(idle.cookies.get("sessionid")).not.toBe(before)
  expect(
    await countOf("select count(*)::int as count from users_signin where name = 'ann' and kind = 'logged_in'")
  ).toBe(rowsMax)
  // Other users are not affected.
  await browserOf(api, "bob").fetch(sites.replace("/api", ""))
  expect(await sessions("bob")).toBe(1)
  expect(
    await countOf("select count(*)::int as count from users_signin where name = 'bob' and kind = 'logged_in'")
  ).toBe(1)
})
