/** Many large writes of one user at once: few of them run, and others write meanwhile. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type List, named, request } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

/** More than there are connections. */
const writes = 40

let api: Api

beforeAll(async () => {
  api = await startApiAlone()
})
afterAll(() => api.stop())

/** Holds up every write of sites until there is a region "release". */
const holdSites = () =>
  api.database.superuser.query(`
    do $$
    begin
      lock table dcim_site in share mode;
      for n in 1..1200 loop
        exit when exists (select from dcim_region where slug = 'release');
        perform pg_sleep(0.05);
      end loop;
    end $$`)

const held = async (): Promise<number> => {
  const [row] = await api.database.sql.query<{ readonly count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and application_name like 'rackwire %'`
  )
  return row!.count
}

it("of one user's large writes two run at a time, and another user writes meanwhile", async () => {
  const username = "other"
  const user = await api.call<{ readonly id: number }>("POST", "/api/users/users/", {
    username,
    password: "Vierzehn Enten 14"
  })
  await api.database.superuser.query(`update users_user set is_superuser = true where id = ${user.json.id}`)
  const token = await api.newToken({ user: user.json.id })
  const hold = holdSites()
  await eventually("sites are held", async () => {
    const locks = await api.database.sql.query(
      "select from pg_locks where mode = 'ShareLock' and granted and relation = 'dcim_site'::regclass"
    )
    return locks.length === 1
  })
  const large = Promise.all(
    Array.from({ length: writes }, (_, at) =>
      api.call("POST", "/api/dcim/sites/", { ...named(`Large ${at}`), comments: "x".repeat(50_000) })
    )
  )
  await eventually("two wait for the lock", async () => (await held()) === 2)
  const own = await api.call<List>("GET", "/api/dcim/regions/")
  expect([own.status, await held()]).toEqual([200, 2])
  const other = await request<object>(api.service.url, token, "POST", "/api/dcim/regions/", {
    ...named("release"),
    description: "x".repeat(200)
  })
  expect(other.status).toBe(201)
  await hold
  expect((await large).map(({ status }) => status)).toEqual(Array.from({ length: writes }, () => 201))
})
