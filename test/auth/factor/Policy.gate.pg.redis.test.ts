/** A required second factor, for superusers and members of groups; and its reset by an administrator and a command. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApiAlone } from "../../support/Api.ts"
import { type Json, password, request } from "../../support/Client.ts"
import { runCommand } from "../../support/Command.ts"
import { type Service, startService } from "../../support/Service.ts"
import { type Browser, openBrowser } from "../Browser.ts"
import { type User, makeUser, permit, userPassword } from "../Users.ts"
import { atFactor, codeOf, forgetSteps, sendFactor, sendSetUp } from "./App.ts"

const options = { SECOND_FACTOR: "superusers", SECOND_FACTOR_GROUPS: "operators, absent" }

/** Makes the users, without the policy. */
let api: Api
/** Another service on the same database, with the policy. */
let strict: Service
let ida: User
let jon: User
let operators: number

beforeAll(async () => {
  api = await startApiAlone()
  strict = await startService({ ...environmentOf(api.database), ...options }, { roles: ["api"] })
  operators = await api.make("users/groups", { name: "operators" })
  ida = await makeUser(api, "ida", { types: ["dcim.site"], actions: ["view"] })
  jon = await makeUser(api, "jon", { types: ["dcim.site"], actions: ["view"] })
  await api.call("PATCH", `/api/users/users/${ida.id}/`, { groups: [operators] })
})

afterAll(async () => {
  await strict.stop()
  await api.stop()
})

const loggedIn = async (name: string, secret = userPassword): Promise<Browser> => {
  const browser = openBrowser(strict.url)
  const answer = await browser.logIn(name, secret)
  if (answer.status !== 302) throw new Error(`${name} cannot log in: ${answer.status}`)
  return browser
}

const provision = (body: Json) => request<Json>(strict.url, "", "POST", "/api/users/tokens/provision/", body)

/** How a page and an endpoint answer to the browser. */
const answers = async (browser: Browser) => {
  const page = await browser.fetch("/dcim/sites/")
  return [page.status, page.headers.get("location"), (await browser.fetch("/api/dcim/sites/")).status]
}

const restricted = [302, "/user/factors/app/", 403]
const free = [200, null, 200]

describe("a user who needs a factor and has none", () => {
  it.each([
    ["a superuser", "admin", password],
    ["a member of a group", "ida", userPassword]
  ])("%s may do nothing but set one up", async (_, name, secret) => {
    const browser = await loggedIn(name, secret)
    expect(await answers(browser)).toEqual(restricted)
    for (const path of ["/", "/user/", "/user/api-tokens/", "/user/factors/", "/help/templates/"])
      expect([path, (await browser.fetch(path)).headers.get("location")]).toEqual([path, "/user/factors/app/"])
    const write = await browser.fetch("/api/dcim/sites/", {
      method: "POST",
      headers: { "x-csrftoken": browser.cookies.get("csrftoken")!, "content-type": "application/json" },
      body: JSON.stringify({ name: "Oslo", slug: "oslo" })
    })
    expect([write.status, await write.text()]).toEqual([403, expect.stringContaining("/user/factors/app/")])
    const shown = await browser.fetch("/user/factors/app/")
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("An administrator requires")])
  })

  it("gets no token by password, and keeps the tokens that exist", async () => {
    const refused = await provision({ username: "ida", password: userPassword, otp: "123456" })
    expect([refused.status, refused.json["detail"]]).toEqual([403, expect.stringContaining("has none")])
    expect((await request(strict.url, ida.token, "GET", "/api/dcim/sites/")).status).toBe(200)
  })

  it("may do everything once it is set up, and not any more without it", async () => {
    const browser = await loggedIn("ida")
    expect((await sendSetUp(browser, codeOf)).answer.status).toBe(200)
    expect(await answers(browser)).toEqual(free)
    await atFactor(strict.url, "ida")
    const removed = await browser.submit("/user/factors/", {})
    expect([removed.status, await answers(browser)]).toEqual([302, restricted])
  })
})

describe("another user", () => {
  it("needs none until the user becomes a member, which counts at the next request", async () => {
    const browser = await loggedIn("jon")
    expect(await answers(browser)).toEqual(free)
    await api.call("PATCH", `/api/users/users/${jon.id}/`, { groups: [operators] })
    expect(await answers(browser)).toEqual(restricted)
    const others = await api.make("users/groups", { name: "others" })
    await api.call("PATCH", `/api/users/users/${jon.id}/`, { groups: [others] })
    expect(await answers(browser)).toEqual(free)
    await api.call("PATCH", `/api/users/users/${jon.id}/`, { groups: [] })
    expect(await answers(browser)).toEqual(free)
  })
})

describe("a reset", () => {
  it("by a user who may change users removes the factor, and by no other", async () => {
    const owner = await loggedIn("ida")
    const { secret } = await sendSetUp(owner, codeOf)
    await forgetSteps(api)
    const path = `/users/users/${ida.id}/factors/`
    const helper = await loggedIn("jon")
    expect((await helper.fetch(path)).status).toBe(403)
    const forged = new URLSearchParams({ csrfmiddlewaretoken: helper.cookies.get("csrftoken")! })
    expect((await helper.fetch(path, { method: "POST", body: forged })).status).toBe(403)
    expect((await sendFactor(await atFactor(strict.url, "ida"), { code: codeOf(secret) })).status).toBe(302)
    await permit(api, jon.id, { types: ["users.user"], actions: ["view", "change"] })
    expect(await (await helper.fetch(`/users/users/${ida.id}/`)).text()).toContain(path)
    expect(await (await helper.fetch(path)).text()).toContain("ida has an authenticator app")
    expect((await helper.submit(path, {})).headers.get("location")).toBe(`/users/users/${ida.id}/`)
    expect(await (await helper.fetch(path)).text()).toContain("ida has no second factor")
    expect(await answers(await loggedIn("ida"))).toEqual(restricted)
    const log = strict.output().replaceAll('\\"', '"')
    expect(log).toContain(`audit: "jon" reset the second factors of "ida" from "127.0.0.1"`)
  })

  it("by a command removes it as well", async () => {
    await sendSetUp(await loggedIn("ida"), codeOf)
    await atFactor(strict.url, "ida")
    const env = { ...environmentOf(api.database), ...options }
    const run = async (name: string) => (await runCommand(["users", "reset-factors", name], { env })).output
    expect(await run("ida")).toContain("The second factor of ida is removed")
    expect([await run("ida"), await run("nobody")]).toEqual([
      expect.stringContaining("ida has no second factor"),
      expect.stringContaining("There is no user nobody")
    ])
    expect(await answers(await loggedIn("ida"))).toEqual(restricted)
  })
})
