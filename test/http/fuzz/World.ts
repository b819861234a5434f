/** The world before the first request: objects of every type, and three that send requests. */
import { digestToken } from "../../../src/inventory/Vault.ts"
import type { ObjectType } from "../../../src/inventory/ObjectType.ts"
import { registry } from "../../../src/inventory/Registry.ts"
import { type Existing, makeWorld } from "../../support/AnyObject.ts"
import type { Call, Json } from "../../support/Client.ts"
import type { Sql } from "../../support/Sql.ts"

export interface World {
  readonly existing: Existing
  /** Bodies that were taken once, by object type. */
  readonly bodies: ReadonlyMap<string, ReadonlyArray<Json>>
}

export const makeFuzzWorld = async (call: Call): Promise<World> => {
  const bodies = new Map<string, Array<Json>>([...accountBodies].map(([type, body]) => [type, [body]]))
  const types = new Map([...registry.values()].map((type): [string, ObjectType] => [type.path, type]))
  const recording: Call = async (method, path, body) => {
    const reply = await call<never>(method, path, body)
    const type = types.get(path)
    if (reply.status === 201 && type !== undefined) {
      bodies.set(type.id, [...(bodies.get(type.id) ?? []), body as Json])
    }
    return reply
  }
  const existing = await makeWorld(recording, 2)
  return { existing: (type) => (type.startsWith("users.") ? [1, 2] : existing(type)), bodies }
}

/** Bodies of types of which the service itself makes the first. */
const accountBodies: ReadonlyArray<readonly [type: string, body: Json]> = [
  ["users.user", { username: "somebody", password: "x7 and some more", groups: [] }],
  ["users.group", { name: "some group" }],
  ["users.token", { user: 1, description: "a token", allowed_ips: ["10.0.0.0/8"] }],
  [
    "users.objectpermission",
    { name: "sees sites", object_types: ["dcim.site"], actions: ["view"], constraints: { name: "x" }, users: [2] }
  ]
]

/** Senders of requests. */
export const actors = ["anonymous", "few", "superuser"] as const
export type Actor = (typeof actors)[number]

export const tokens: Readonly<Record<Exclude<Actor, "anonymous">, string>> = {
  few: "f".repeat(39) + "e",
  superuser: "5".repeat(39) + "a"
}

/**
 * Object types of the user of few rights, with constraints. The first webhook is the one of the bystander (Beside.ts),
 * which a user with a right to it may pause.
 */
const few: ReadonlyArray<readonly [types: string, constraints: string | null]> = [
  ["{dcim.site,dcim.device,ipam.prefix,extras.tag}", null],
  ["{extras.webhook}", '{"id__gt": 1}']
]

/** Makes the actors anew: requests may have deleted them, or taken from them what they may do. */
export const restoreActors = async (sql: Sql): Promise<void> => {
  const columns = "username, password, is_superuser, is_active"
  for (const [name, isSuperuser] of [
    ["few", false],
    ["superuser", true]
  ] as const) {
    const username = `fuzz ${name}`
    await sql.query(
      `insert into users_user (${columns}) select $1, '!', $2::boolean, true
        where not exists (select from users_user where username = $1)`,
      [username, `${isSuperuser}`]
    )
    await sql.query("update users_user set is_superuser = $2::boolean, is_active = true where username = $1", [
      username,
      `${isSuperuser}`
    ])
    const key = digestToken(tokens[name])
    await sql.query("delete from users_token where key = $1", [key])
    await sql.query(
      `insert into users_token (key, user_id, write_enabled)
       select $1, id, true from users_user where username = $2`,
      [key, username]
    )
  }
  await sql.query("delete from users_objectpermission where name = 'fuzz few'")
  for (const [types, constraints] of few) {
    await sql.query(
      `insert into users_objectpermission (name, object_types, actions, constraints, enabled, users)
       select 'fuzz few', $1, '{view,add,change}', $2::jsonb, true, array[id] from users_user where username = 'fuzz few'`,
      [types, constraints]
    )
  }
}
