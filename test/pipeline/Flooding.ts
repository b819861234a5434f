/** A user whose webhooks are owed very many deliveries of one request, and another one with a single webhook. */
import type { Redis } from "ioredis"
import { expect, onTestFinished } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import { makeUser } from "../auth/Users.ts"
import type { Api } from "../support/Api.ts"
import { captured } from "../support/CaughtUp.ts"
import { eventually } from "../support/Eventually.ts"
import { openSql } from "../support/Sql.ts"
import { openRedis } from "../support/Redis.ts"

const webhooks = 30
const objects = 80

/** Names of as many sites as make a flood. */
export const flood = (name: string) => Array.from({ length: objects }, (_, n) => `Many ${name} ${n}`)

export class Flooding {
  readonly redis: Redis
  readonly many: ReadonlyArray<number>
  readonly one: number
  private readonly api: Api

  private constructor(api: Api, redis: Redis, many: ReadonlyArray<number>, one: number) {
    this.api = api
    this.redis = redis
    this.many = many
    this.one = one
  }

  /** Makes the users and their webhooks, and pauses sending: entries stay in their streams. */
  static async on(api: Api): Promise<Flooding> {
    await api.call("POST", "/api/core/sending/pause/")
    const seeing = { types: ["dcim.site"], actions: ["view"] }
    const users = [await makeUser(api, "many", seeing), await makeUser(api, "one", seeing)]
    const webhook = (name: string, user: number) =>
      api.make("extras/webhooks", {
        ...{ name, content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:9/" },
        ...{ scope_user: user, conditions: { attr: "name", op: "regex", value: name === "one" ? "^One" : "^Many" } }
      })
    const many = await Promise.all(Array.from({ length: webhooks }, (_, n) => webhook(`many ${n}`, users[0]!.id)))
    return new Flooding(api, await openRedis(api.database), many, await webhook("one", users[1]!.id))
  }

  /** Names of the objects whose events are in the webhook's stream, in its order. */
  async namesOf(id: number): Promise<ReadonlyArray<string>> {
    const entries = await this.redis.xrange(keysOf(id).queue, "-", "+")
    return entries.map(([, [, text]]) => {
      const body = text!.slice(text!.indexOf("\n") + 1)
      return (JSON.parse(body) as { readonly data: { readonly name: string } }).data.name
    })
  }

  isOwed(id: number, last: string): Promise<unknown> {
    return eventually(`webhook ${id} is owed ${last}`, async () => (await this.namesOf(id)).includes(last))
  }

  /** Waits until nothing is left to a flood. */
  caughtUp(): Promise<unknown> {
    return eventually("no flood is owed", async () => {
      const rows = await this.api.database.sql.query(
        `select 1 as one from rackwire_watermark
          where (flood_after_position, flood_after_idx) < (flood_until_position, flood_until_idx)`
      )
      return rows.length === 0
    })
  }

  /**
   * Keeps floods from being queued until the returned function is called: they read how webhooks were at the time.
   * Capture writes into the same table when it reads that a webhook was changed, so it has read all changes before.
   */
  async delay(): Promise<() => Promise<void>> {
    await captured(this.api.database)
    const sql = openSql(this.api.database.databaseUrl)
    await sql.query("begin")
    await sql.query("lock table rackwire_webhook_version in access exclusive mode")
    const release = async () => {
      await sql.query("rollback").catch(() => {})
      await sql.close()
    }
    onTestFinished(release)
    return release
  }
}

/** Every webhook of the user is owed the deliveries of these objects, and nothing else. */
export const expectAll = async (floods: Flooding, names: ReadonlyArray<string>): Promise<void> => {
  for (const id of floods.many) await floods.isOwed(id, names.at(-1)!)
  for (const id of floods.many) expect(await floods.namesOf(id)).toEqual(names)
}
