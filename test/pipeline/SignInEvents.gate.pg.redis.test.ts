/** Sign-ins as events: a webhook on users.signin gets each row, without secrets, and nothing when old rows are deleted. */
import { expect, it } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { makeUser, permit, userPassword } from "../auth/Users.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { environmentOf } from "../support/Api.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import type { Json } from "../support/Client.ts"
import { startService } from "../support/Service.ts"

const hooks = startDelivering()

const onSignIns = (name: string, fields: Json = {}) =>
  hooks.webhook(name, {
    content_types: ["users.signin"],
    ...{ type_create: true, type_update: true, type_delete: true },
    conditions: null,
    ...fields
  })

interface Body {
  readonly event: string
  readonly username: string
  readonly request_id: string
  readonly data: Json & { readonly kind: { readonly value: string }; readonly name: string }
}

/** The events about a user name at `/name`, once everything that was committed is delivered. */
const eventsAt = async (name: string, user: string) => {
  await caughtUp(hooks.api.database)
  const bodies = hooks.at(name).map(({ body }) => JSON.parse(body.toString()) as Body)
  return bodies.filter(({ data }) => data.name === user)
}

const logIn = (name: string, secret: string) => openBrowser(hooks.api.service.url).logIn(name, secret)

it("a webhook gets one event for each row, with its author and request, and without secrets", async () => {
  await onSignIns("all")
  await onSignIns("refusals", { conditions: { attr: "kind.value", value: "refused" } })
  const { id } = await makeUser(hooks.api, "nora")
  const answer = await logIn("nora", userPassword)
  await logIn("nora", "a wrong password")
  const [loggedIn, refused, ...more] = await eventsAt("all", "nora")
  expect(more).toEqual([])
  expect(loggedIn).toMatchObject({
    event: "created",
    username: "nora",
    request_id: answer.headers.get("x-request-id"),
    data: { kind: { value: "logged_in" }, way: "password", user: { id, username: "nora" }, address: "127.0.0.1" }
  })
  expect(refused).toMatchObject({
    event: "created",
    username: "",
    data: { kind: { value: "refused" }, user: { id }, name: "nora", reason: "WrongPassword" }
  })
  expect(await eventsAt("refusals", "nora")).toEqual([refused])
  const sent = hooks.receiver.received.map(({ body }) => body.toString()).join("\n")
  for (const secret of [userPassword, "a wrong password"]) expect(sent).not.toContain(secret)
})

it("a webhook with a scope gets the rows that its user may view", async () => {
  const scoped = await makeUser(hooks.api, "scoped")
  await onSignIns("scoped", { scope_user: scoped.id })
  const { id } = await makeUser(hooks.api, "olaf")
  await logIn("olaf", userPassword)
  expect(await eventsAt("scoped", "olaf")).toEqual([])
  await permit(hooks.api, scoped.id, { types: ["users.signin"], actions: ["view"] })
  await permit(hooks.api, scoped.id, { types: ["users.user"], actions: ["view"], constraints: { username: "olaf" } })
  await logIn("olaf", userPassword)
  await logIn("admin", "a wrong password")
  expect((await eventsAt("scoped", "olaf")).map(({ data }) => data["user"])).toMatchObject([{ id }])
  expect(await eventsAt("scoped", "admin")).toEqual([])
})

it("rows older than SIGNIN_RETENTION are deleted by the service, without events", async () => {
  await onSignIns("old")
  await makeUser(hooks.api, "pia")
  await logIn("pia", userPassword)
  expect(await eventsAt("old", "pia")).toHaveLength(1)
  const { sql } = hooks.api.database
  await sql.query("update users_signin set time = now() - interval '3 days' where name = 'pia'")
  await logIn("pia", userPassword)
  const before = await eventsAt("old", "pia")
  expect(before.map(({ event }) => event)).toEqual(["created", "updated", "created"])
  // The job runs when a process begins to read changes.
  await hooks.api.service.stop()
  const service = await startService({ ...environmentOf(hooks.api.database), SIGNIN_RETENTION: "2" })
  try {
    await expect.poll(async () => (await sql.query("select 1 from users_signin where name = 'pia'")).length).toBe(1)
    await caughtUp(hooks.api.database)
    expect(await eventsAt("old", "pia")).toHaveLength(3)
    const deleted = "changed_object_type = 'users.signin' and action = 'delete'"
    expect(await sql.query(`select 1 from extras_objectchange where ${deleted}`)).toEqual([])
  } finally {
    await service.stop()
  }
})
