/** The condition that a known token still gives the same, in Postgres. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type TokenVersions, stillGives, versionColumns } from "../../src/auth/KnownTokens.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
  await database.sql.transaction(
    "insert into users_user (username, password, is_active) values ('known', 'x', true)",
    "insert into users_token (user_id, key, write_enabled, last_used) select id, 'digest', true, now() from users_user",
    `insert into users_objectpermission (name, enabled, object_types, actions, users)
     select 'some', true, array['dcim.site'], array['view'], array[id] from users_user`
  )
})

afterAll(() => database.drop())

const found = async () => {
  const [row] = await database.sql.query<TokenVersions & { readonly user: string }>(
    `select found.user, to_json(found)->>'token_version' as token_version, to_json(found)->>'user_version' as user_version,
            permission_versions, to_json(found)->>'server_start' as server_start
       from (select u.id::text as user, ${versionColumns} from users_token t join users_user u on u.id = t.user_id) found`
  )
  return row!
}

const holds = async (versions: TokenVersions & { readonly user: string }, token = "digest") => {
  const { sql, parameters } = stillGives(token, Number(versions.user), versions)
  return (await database.sql.query(`select 1 as one where ${sql}`, parameters)).length === 1
}

it("holds as long as the token, its user, the permissions and the server are those that were found", async () => {
  const versions = await found()
  expect(await holds(versions)).toBe(true)
  const others = [
    { token_version: "1" },
    { user_version: "1" },
    { user: "999" },
    { permission_versions: "" },
    { permission_versions: `${versions.permission_versions} 1` },
    { server_start: "2026-01-01T00:00:00+00:00" }
  ]
  for (const other of others) expect([other, await holds({ ...versions, ...other })]).toEqual([other, false])
  expect(await holds(versions, "another")).toBe(false)
})

it.each([
  ["the token changes", "update users_token set write_enabled = false"],
  ["the user changes", "update users_user set is_active = false"],
  ["a permission changes", "update users_objectpermission set actions = array['view', 'add']"],
  ["a permission ends", "update users_objectpermission set enabled = false"],
  [
    "a permission is added",
    "insert into users_objectpermission (name, enabled, object_types, actions, users) select 'more', true, array['dcim.site'], array['add'], array[id] from users_user"
  ]
])("ends when %s", async (_, change) => {
  await database.sql.query("update users_token set last_used = now(), expires = null")
  const versions = await found()
  expect(await holds(versions)).toBe(true)
  await database.sql.query(change)
  expect(await holds(versions)).toBe(false)
})

it.each([
  ["its token expires", "expires = now() + interval '500 milliseconds'"],
  ["the last use of its token is a minute ago", "last_used = now() - interval '59.5 seconds'"]
])("ends when %s, without a change", async (_, soon) => {
  await database.sql.query("update users_token set last_used = now(), expires = null")
  await database.sql.query(`update users_token set ${soon}`)
  const versions = await found()
  expect(await holds(versions)).toBe(true)
  await expect.poll(() => holds(versions)).toBe(false)
})
