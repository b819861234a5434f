/** Forms whose session has ended: kept for the user who sent them, from no other site, and shown again only. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { routes } from "../../src/Service.ts"
import { type Api, startApi } from "../support/Api.ts"
import { named, password } from "../support/Client.ts"
import { caughtUp } from "../support/CaughtUp.ts"
import { type Browser, openBrowser } from "./Browser.ts"
import { makeUser, userPassword } from "./Users.ts"
import { thoroughly } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  // Not the shared one: webhooks of other files may have deliveries that wait for receivers.
  api = await startApi()
})

afterAll(() => api.stop())

const path = "/dcim/sites/add/"

const inputsOf = (page: string) =>
  new URLSearchParams(
    Object.fromEntries(
      Array.from(page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g), ([, name, value]) => [
        name,
        value
      ])
    )
  )

const html = { accept: "text/html" }
const post = (visitor: Browser, to: string, body: URLSearchParams) =>
  visitor.fetch(to, { method: "POST", body, headers: html })

/** A visitor whose session has ended after its form was shown, and what this form sends. */
const late = async () => {
  const visitor = openBrowser(api.service.url)
  await visitor.logIn()
  const token = inputsOf(await (await visitor.fetch(path)).text()).get("csrfmiddlewaretoken")!
  await api.database.sql.query("update rackwire_session set expires = now()")
  return { visitor, form: new URLSearchParams({ csrfmiddlewaretoken: token, ...named("Late") }) }
}

const logIn = async (visitor: Browser, page: string, username: string, secret: string) => {
  const form = inputsOf(page)
  form.set("username", username)
  form.set("password", secret)
  return post(visitor, "/login/", form)
}

const sites = async () => (await api.call<{ readonly count: number }>("GET", "/api/dcim/sites/")).json.count

describe("a form whose session has ended", () => {
  it("is shown to its user again after the login, and writes nothing before it is sent once more", async () => {
    const { visitor, form } = await late()
    const refused = await post(visitor, path, form)
    expect(refused.status).toBe(403)
    const wrong = await logIn(visitor, await refused.text(), "admin", "wrong")
    const loggedIn = await logIn(visitor, await wrong.text(), "admin", password)
    const carried = inputsOf(await loggedIn.text())
    expect([carried.get("name"), carried.get("_again")]).toEqual(["Late", "1"])
    const before = await sites()
    const shown = await (await post(visitor, path, carried)).text()
    expect(shown).toContain('value="Late"')
    expect(await sites()).toBe(before)
  })

  it("is not shown to another user", async () => {
    await makeUser(api, "another")
    const { visitor, form } = await late()
    const refused = await (await post(visitor, path, form)).text()
    const answer = await logIn(visitor, refused, "another", userPassword)
    expect([answer.status, answer.headers.get("location"), await answer.text()]).toEqual([302, path, ""])
  })

  it("is not kept where its token is not that of the session, or the session is gone", async () => {
    const { visitor, form } = await late()
    form.set("csrfmiddlewaretoken", "x".repeat(64))
    expect(await (await post(visitor, path, form)).text()).not.toContain("Late")
    const gone = await late()
    gone.visitor.cookies.delete("sessionid")
    expect(await (await post(gone.visitor, path, gone.form)).text()).not.toContain("Late")
  })
})

describe("a form of another site", () => {
  it("is not carried by the login, whatever token it bears", async () => {
    const planted = { next: "/user/api-tokens/", "sent.description": "planted", "sent.csrfmiddlewaretoken": "x" }
    const victim = openBrowser(api.service.url)
    const page = await (await post(victim, "/login/", new URLSearchParams(planted))).text()
    expect(page).not.toContain("planted")
    // Also not by a form with the token of the login.
    const form = inputsOf(page)
    for (const [name, value] of Object.entries({ ...planted, username: "admin", password })) form.set(name, value)
    const led = await post(victim, "/login/", form)
    expect([led.status, led.headers.get("location")]).toEqual([302, "/user/api-tokens/"])
  })
})

thoroughly("a form that is shown again", () => {
  it("writes nothing at any address", async () => {
    const visitor = openBrowser(api.service.url)
    await visitor.logIn()
    const { json } = await api.call<{ readonly id: number }>("POST", "/api/dcim/sites/", named("Kept"))
    const token = visitor.cookies.get("csrftoken")!
    const taken: Array<string> = []
    /** The rows that the requests below would write or delete. */
    const state = async () => {
      await caughtUp(api.database)
      const [row] = await api.database.sql.query<{ readonly state: string }>(
        `select concat_ws(' ', (select count(*) from extras_objectchange), (select count(*) from users_token),
                (select count(*) from rackwire_session), (select count(*) from extras_operation),
                (select count(*) from rackwire_sending)) as state`
      )
      return row!.state
    }
    const before = await state()
    for (const { path: pattern, methods, keepsForm, access } of routes) {
      if (methods.POST === undefined || access === "credentials" || access === "unasked") continue
      const to = pattern.replaceAll(/:\w+/g, `${json.id}`)
      const body = new URLSearchParams({
        ...{ csrfmiddlewaretoken: token, _again: "1", confirmed: "1", pk: `${json.id}`, all: "true" },
        ...{ ...named("Again"), content_types: "dcim.site", description: "again", comments: "again" }
      })
      const { status } = await post(visitor, to, body)
      if (keepsForm !== true && status !== 403) taken.push(`${to} answered ${status}`)
    }
    expect(taken).toEqual([])
    expect(await state()).toBe(before)
  })
})
