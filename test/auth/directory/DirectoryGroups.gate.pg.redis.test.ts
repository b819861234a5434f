/** Groups from a directory in Postgres, and what the user may do afterwards. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { DirectoryRefused, alignGroups } from "../../../src/auth/directory/DirectoryGroups.ts"
import { type GroupRules, plainRules } from "../../../src/auth/directory/GroupPlan.ts"
import { Counts } from "../../../src/inventory/read/Count.ts"
import { type Api, sharedApi } from "../../support/Api.ts"
import { named } from "../../support/Client.ts"
import { statementsOf } from "../../support/Statements.ts"
import { type User, makeUser } from "../Users.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})

afterAll(() => api.stop())

const author = { username: "ann", requestId: "00000000-0000-0000-0000-000000000001" }

const alignment = (user: number, names: ReadonlyArray<string>, rules: Partial<GroupRules> = {}, source = "oidc") =>
  alignGroups(user, { source, names, rules: { ...plainRules, ...rules } }, { address: "192.0.2.1", author }).pipe(
    Effect.provide(Counts.layer)
  )

const align = (...parameters: Parameters<typeof alignment>) =>
  Effect.runPromise(
    alignment(...parameters).pipe(
      Effect.result,
      Effect.provide(Layer.orDie(PgClient.layer({ url: Redacted.make(api.database.databaseUrl) })))
    )
  )

/** The names of the user's groups, as the API shows them. */
const groupsOf = async (user: User): Promise<ReadonlyArray<string>> => {
  const { json } = await api.call("GET", `/api/users/users/${user.id}/`)
  return (json["groups"] as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name).sort()
}

it("adds, creates and removes groups; those that were given by hand stay", async () => {
  const ann = await makeUser(api, "ann")
  const byHand = await api.make("users/groups", { name: "by hand" })
  await api.make("users/groups", { name: "ops" })
  await api.call("PATCH", `/api/users/users/${ann.id}/`, { groups: [byHand] })
  await align(ann.id, ["ops", "new", "by hand"], { creates: true })
  expect(await groupsOf(ann)).toEqual(["by hand", "new", "ops"])
  await align(ann.id, ["new"])
  expect(await groupsOf(ann)).toEqual(["by hand", "new"])
  await align(ann.id, ["new"], {}, "proxy")
  await align(ann.id, [])
  expect(await groupsOf(ann)).toEqual(["by hand", "new"])
  await align(ann.id, ["ops"], { replaces: true }, "proxy")
  expect(await groupsOf(ann)).toEqual(["ops"])
  await api.call("DELETE", `/api/users/users/${ann.id}/`)
  expect(await api.database.sql.query("select from rackwire_directory_grant")).toEqual([])
})

it("takes the rights of a group from a cached token at the next request, and gives them back", async () => {
  const user = await makeUser(api, "cached")
  const group = await api.make("users/groups", { name: "site readers" })
  const body = { name: "read sites", object_types: ["dcim.site"], actions: ["view", "add"], groups: [group] }
  await api.make("users/permissions", body)
  const status = async (method: string, sent?: unknown) => (await user.call(method, "/api/dcim/sites/", sent)).status
  for (const [at, names] of [["site readers"], [], ["site readers"]].entries()) {
    await align(user.id, names)
    const isMember = names.length > 0
    // The second read starts from the cached token.
    expect([await status("GET"), await status("GET")]).toEqual(isMember ? [200, 200] : [403, 403])
    expect(await status("POST", named(`Site ${at}`))).toBe(isMember ? 201 : 403)
  }
})

it("makes a superuser by group and ends it, also for a cached token", async () => {
  const user = await makeUser(api, "root for a day")
  const rules = { superusers: { groups: ["admins"], users: [] }, staff: { groups: ["admins"], users: [] } }
  const status = async () => (await user.call("GET", "/api/users/permissions/")).status
  expect(await status()).toBe(403)
  await align(user.id, ["admins"], rules)
  expect([await status(), await status()]).toEqual([200, 200])
  await align(user.id, ["others"], rules)
  expect(await status()).toBe(403)
})

it("sends one statement if nothing changes, and writes nothing", async () => {
  const user = await makeUser(api, "unchanged")
  await api.make("users/groups", { name: "steady" })
  await align(user.id, ["steady"])
  const versions = "select xmin::text from users_user union all select xmin::text from rackwire_directory_grant"
  const before = await api.database.sql.query(versions)
  const statements = await statementsOf(api.database.databaseUrl, alignment(user.id, ["steady", "missing"]))
  expect(statements).toHaveLength(1)
  expect(await api.database.sql.query(versions)).toEqual(before)
  const changing = await statementsOf(api.database.databaseUrl, alignment(user.id, ["more"], { creates: true }))
  expect(changing.length).toBeLessThanOrEqual(8)
})

it("serves concurrent sign-ins of several users that need the same new group", async () => {
  const users = await Promise.all(["one", "two", "three", "four"].map((name) => makeUser(api, `together ${name}`)))
  await Promise.all(users.map(({ id }) => align(id, ["brand new", "brand newer"], { creates: true })))
  for (const user of users) expect(await groupsOf(user)).toEqual(["brand new", "brand newer"])
})

it("refuses too many groups and a deleted user in words, and changes nothing", async () => {
  const user = await makeUser(api, "many")
  await api.make("users/groups", { name: "kept" })
  await align(user.id, ["kept"])
  const count = async () => (await api.database.sql.query("select from users_group")).length
  const before = await count()
  const many = Array.from({ length: 100_000 }, (_, at) => `group ${at}`)
  const refusal = async (id: number, names: ReadonlyArray<string>) => {
    const result = await align(id, names, { creates: true })
    return result._tag === "Failure" && result.failure instanceof DirectoryRefused ? result.failure.detail : undefined
  }
  expect(await refusal(user.id, many)).toMatch(/more than 10000 groups.*1000 that are used.*prefix or a mapping/)
  expect(await refusal(user.id, many.slice(0, 1001))).toMatch(/prefix or a mapping/)
  expect(await refusal(0, ["kept"])).toBe("The user was deleted.")
  expect([await groupsOf(user), await count()]).toEqual([["kept"], before])
})

it("creates a thousand groups of the longest names by one statement, also with SQL in a name", async () => {
  const user = await makeUser(api, "largest")
  const names = Array.from({ length: 999 }, (_, at) => `${at} ${"\u{1f600}".repeat(146)}`)
  await align(user.id, [...names, `'); drop table users_group; -- "{}\\`], { creates: true })
  expect(await groupsOf(user)).toHaveLength(1000)
  await align(user.id, [])
  expect(await groupsOf(user)).toEqual([])
})

it("logs each change and each unused name once, quoted and of limited length", async () => {
  const user = await makeUser(api, "logged")
  const output: Array<string> = []
  const log = console.log
  console.log = (...parts) => void output.push(parts.join(" "))
  try {
    await align(user.id, ["fresh\u200b", "fresh", 'x" audit: forged'], { creates: true })
    await align(
      user.id,
      Array.from({ length: 1000 }, (_, at) => `\u200b${"y".repeat(150)}${at}`)
    )
  } finally {
    console.log = log
  }
  const lines = output.filter((line) => line.includes("audit:"))
  expect(lines).toHaveLength(4)
  expect(lines[0]).toContain('"fresh\u200b" has invisible characters')
  expect(lines[1]).toContain('the directory "oidc" adds the groups "fresh", "x\\" audit: forged"; creates')
  expect(lines[1]).toContain('for "logged" from "192.0.2.1"')
  expect(lines[2]).toContain("980 more")
  expect(lines[3]).toContain('removes the groups "fresh", "x\\" audit: forged"')
  for (const line of lines) expect(line.length).toBeLessThan(5000)
})
