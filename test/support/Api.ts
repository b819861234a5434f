/** A service on a database of its own, for tests of the wire. */
import { type Client, type Json, type List, type Reply, request } from "./Client.ts"
import { type TestDatabase, makeDatabase, servers } from "./Database.ts"
import { type ProcessStart, type ServiceProcess, startProcess } from "./Process.ts"
import { asDeclared } from "./Replies.ts"
import { type Sql, databaseAt } from "./Sql.ts"
import { type Service, type Start, startService } from "./Service.ts"

/** A service with its database. It calls and makes objects as the superuser. */
export interface Api<S extends Service = Service> extends Client {
  readonly service: S
  readonly database: TestDatabase
  /** A request with this token, or with none. */
  readonly raw: (method: string, path: string, body?: unknown, token?: string) => Promise<Reply<Json>>
  /** A new token of the superuser, or with these fields. */
  readonly newToken: (fields?: Json) => Promise<string>
  readonly adminId: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** The options of a service on this database. */
export const environmentOf = (database: TestDatabase) => ({
  DATABASE_URL: database.databaseUrl,
  REDIS_URL: database.redisUrl,
  RACKWIRE_SLOT: database.slot,
  SECRET_KEY: "a key for tests, of sufficient length"
})

/** Starts a service in this worker, on a database of its own. */
export const startApi = async (environment: Readonly<Record<string, string>> = {}, start?: Start): Promise<Api> => {
  const database = await makeDatabase()
  return apiOf(database, await startService({ ...environmentOf(database), ...environment }, start))
}

/** Starts a service that captures and delivers nothing, for tests of answers alone. It takes half of the time. */
export const startApiAlone = (environment: Readonly<Record<string, string>> = {}): Promise<Api> =>
  startApi(environment, { roles: ["api"] })

let shared: Promise<Api> | undefined

/**
 * A service without objects, which the files of this worker share one after the other: for tests of answers alone, since
 * webhooks and deliveries would outlive their file. `stop` leaves it running.
 */
export const sharedApi = async (): Promise<Api> => {
  // The other Redis databases are emptied in turn.
  shared ??= startApi({ REDIS_URL: databaseAt(servers.redisUrl, "0") }, { outlivesFile: true })
  const api = await shared
  await deleteObjects(api.database.superuser)
  return { ...api, stop: async () => {} }
}

/** Deletes all objects but the administrator, who is `admin`, and the tokens of this user. */
const deleteObjects = (superuser: Sql) =>
  superuser.query(`
    do $$
    declare "table" regclass;
    begin
      -- Neither order nor triggers matter.
      set local session_replication_role = replica;
      for "table" in
        select oid from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
           and relname !~ '^rackwire_'
      loop
        execute format('delete from %s %s', "table", case "table"::text
          when 'users_user' then 'where username <> ''admin'''
          when 'users_token' then 'where user_id <> (select id from users_user where username = ''admin'')' end);
      end loop;
    end $$`)

/** Starts a service as a process, on a database of its own. */
export const startApiProcess = async (
  environment: Readonly<Record<string, string>> = {},
  start?: ProcessStart
): Promise<Api<ServiceProcess>> => {
  const database = await makeDatabase()
  return apiOf(database, await startProcess({ ...environmentOf(database), ...environment }, start))
}

const apiOf = <S extends Service>(database: TestDatabase, service: S): Api<S> => {
  const { call, make, makeObject, makeAll } = service
  const adminId = async () => (await call<List>("GET", "/api/users/users/?username=admin")).json.results[0]!.id
  return {
    service,
    database,
    call,
    make,
    makeObject,
    makeAll,
    adminId,
    raw: async (method, path, body, token = "") =>
      asDeclared(method, path, await request<Json>(service.url, token, method, path, body)),
    newToken: async (fields = {}) => {
      const reply = await call<{ readonly key: string }>("POST", "/api/users/tokens/", {
        user: await adminId(),
        ...fields
      })
      if (reply.status !== 201) throw new Error(reply.text)
      return reply.json.key
    },
    stop: async () => {
      await service.stop()
      await database.drop()
    }
  }
}
