/** Sessions and passwords under stricter options than the usual ones. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { openBrowser } from "./Browser.ts"
import { makeUser, userPassword } from "./Users.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await startApiAlone({
    LOGIN_IDLE_TIMEOUT: "10 minutes",
    PASSWORD_WORDS: "Acme, Hyperion, correct horse battery"
  })
})

afterAll(() => api.stop())

describe("a session with LOGIN_IDLE_TIMEOUT", () => {
  const tokens = "/api/users/tokens/"

  const loggedIn = async (username: string) => {
    const user = await makeUser(api, username, { types: ["extras.webhook"], actions: ["view"] })
    const visitor = openBrowser(api.service.url)
    await visitor.logIn(username, userPassword)
    const sql = (statement: string) =>
      api.database.sql.query<{ seconds: number }>(statement.replace("OF USER", `where user_id = ${user.id}`))
    return {
      visitor,
      wasUsedBefore: (seconds: number) =>
        sql(`update rackwire_session set last_used = now() - interval '${seconds} seconds' OF USER`),
      secondsUnused: async () =>
        (await sql("select extract(epoch from now() - last_used)::float as seconds from rackwire_session OF USER"))[0]!
          .seconds
    }
  }

  it("ends when nobody has used it for so long, and a minute", async () => {
    const { visitor, wasUsedBefore, secondsUnused } = await loggedIn("idle")
    await wasUsedBefore(600)
    expect((await visitor.fetch(tokens)).status).toBe(200)
    await expect.poll(secondsUnused).toBeLessThan(500)
    await wasUsedBefore(661)
    expect((await visitor.fetch(tokens)).status).toBe(403)
  })

  thorough("is not used by a page that updates itself", async () => {
    const { visitor, wasUsedBefore, secondsUnused } = await loggedIn("watching")
    await wasUsedBefore(300)
    expect((await visitor.fetch("/gauges/", { headers: { accept: "text/html" } })).status).toBe(200)
    const stream = await visitor.fetch("/extras/webhooks/", { headers: { accept: "text/event-stream" } })
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    const events = stream.body!.getReader()
    // The page is made a second time for the second event.
    for (let event = 0; event < 2; event++) expect((await events.read()).done).toBe(false)
    expect(await secondsUnused()).toBeGreaterThan(299)
    await wasUsedBefore(661)
    await expect.poll(async () => new TextDecoder().decode((await events.read()).value)).toContain("event: again")
    await events.cancel()
  })
})

describe("a new password", () => {
  const users = "/api/users/users/"
  const refusal = (word: string) => ({
    password: [`Use at least 8 characters beside "${word}", which others guess first.`]
  })

  it("is refused with too few characters beside a word of PASSWORD_WORDS, the product or the user", async () => {
    for (const [password, word] of [
      ["Hyperion2026", "hyperion"],
      ["rackwire1", "rackwire"],
      ["miaklein.99", "miaklein"]
    ] as const) {
      const made = await api.call("POST", users, { username: "miaklein", password })
      expect([made.status, made.json]).toEqual([400, refusal(word)])
    }
    const made = await api.call("POST", users, { username: "miaklein", password: "a correct horse of acme" })
    expect([made.status, made.json]).toEqual([201, expect.objectContaining({ username: "miaklein" })])
  })

  it("of the first superuser is accepted, with a warning", () => {
    expect(api.service.output()).toContain("SUPERUSER_PASSWORD is easy to guess: change it")
  })

  it("is compared with the names that the user has by then", async () => {
    const { id } = await makeUser(api, "before")
    const changed = await api.call("PATCH", `${users}${id}/`, { username: "afterwards", password: "Afterwards1" })
    expect([changed.status, changed.json]).toEqual([400, refusal("afterwards")])
    expect((await api.call("PATCH", `${users}${id}/`, { username: "afterwards" })).status).toBe(200)
    const visitor = openBrowser(api.service.url)
    await visitor.logIn("afterwards", userPassword)
    const form = { old_password: userPassword, new_password: "afterwards!" }
    expect(await (await visitor.submit("/user/password/", form)).text()).toContain("beside &quot;afterwards&quot;")
  })
})
