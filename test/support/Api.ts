/** A service on a database of its own, for tests of the wire. */
import { type TestDatabase, makeDatabase } from "./Database.ts"
import { type Call, type Reply, type Service, request, startService } from "./Service.ts"

export type Json = Record<string, unknown>

export interface List {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: ReadonlyArray<{ readonly id: number; readonly name: string }>
}

export interface Api {
  readonly service: Service
  readonly database: TestDatabase
  /** Calls as the superuser. */
  readonly call: Call
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
  SECRET_KEY: "a key for tests, of some length"
})

/** Starts a service on a database of its own, or on this one; `script` is its program, if not the one of this directory. */
export const startApi = async (
  environment: Record<string, string> = {},
  script?: string,
  args: ReadonlyArray<string> = ["serve"],
  made = makeDatabase()
): Promise<Api> => {
  const database = await made
  const service = await startService({ ...environmentOf(database), ...environment }, args, script)
  const { call } = service
  const adminId = async () => (await call<List>("GET", "/api/users/users/?username=admin")).json.results[0]!.id
  return {
    service,
    database,
    call,
    adminId,
    raw: (method, path, body, token = "") => request<Json>(service.url, token, method, path, body),
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

/** Fields of an object that has a name and a slug. */
export const named = (name: string) => ({ name, slug: name.toLowerCase().replaceAll(" ", "-") })
