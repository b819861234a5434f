/** Goal: a process opens no more connections than DATABASE_CONNECTIONS, and answers 503 where Postgres allows fewer. */
import { expect, it } from "vitest"
import { startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { thorough } from "../support/Seed.ts"

const requests = Array.from({ length: 60 }, (_, n) => n)

it("a process keeps to its number of connections, under requests of every kind", async () => {
  const api = await startApi({ DATABASE_CONNECTIONS: "10" })
  const name = new URL(api.database.databaseUrl).pathname.slice(1)
  // The pools of plain SQL of this test are in the same database, as its superuser and with another name.
  await api.database.superuser.query(`alter database ${name} connection limit 14`)
  const statuses = await Promise.all(
    requests.flatMap((n) => [
      api.call("POST", "/api/dcim/sites/", named(`Site ${n}`)),
      api.call("GET", "/api/dcim/sites/"),
      api.call("GET", "/api/dcim/sites/?name__iregex=^site")
    ])
  )
  const [open] = await api.database.superuser.query<{ readonly count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name ~ '^rackwire'"
  )
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200, 201]))
  expect(open!.count).toBeLessThanOrEqual(10)
  await api.stop()
})

thorough("requests get 503, and no other error, where the database allows fewer", async () => {
  const api = await startApi()
  const { databaseUrl, superuser } = api.database
  const name = new URL(databaseUrl).pathname.slice(1)
  const [open] = await superuser.query<{ readonly count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database()"
  )
  await superuser.query(`alter database ${name} connection limit ${open!.count}`)
  const replies = await Promise.all(requests.map((n) => api.call("POST", "/api/dcim/sites/", named(`Site ${n}`))))
  const refused = replies.filter(({ status }) => status !== 201)
  expect(refused.length).toBeGreaterThan(0)
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]))
  expect(refused[0]!.headers.get("retry-after")).toBe("5")
  await superuser.query(`alter database ${name} connection limit -1`)
  expect((await api.call("POST", "/api/dcim/sites/", named("After"))).status).toBe(201)
  await api.stop()
})
