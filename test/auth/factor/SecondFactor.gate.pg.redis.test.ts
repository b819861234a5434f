/** Logging in with a second factor: setting it up, codes, recovery codes, tokens, confirmation, removal. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../../support/Api.ts"
import type { Json } from "../../support/Client.ts"
import { openBrowser } from "../Browser.ts"
import { makeUser, userPassword } from "../Users.ts"
import { type AppOwner, atFactor, codeOf, forgetSteps, hiddenIn, sendFactor, sendSetUp, setUpApp } from "./App.ts"

let api: Api
let ana: AppOwner

beforeAll(async () => {
  api = await startApiAlone({ LOGIN_ATTEMPTS_PER_USER: "100", LOGIN_ATTEMPTS_PER_ADDRESS: "100" })
  await makeUser(api, "ana")
  await makeUser(api, "berit")
  ana = await setUpApp(api, "ana")
})

afterAll(() => api.stop())

const provision = (body: Json) => api.raw("POST", "/api/users/tokens/provision/", body)

describe("setting up an app", () => {
  it("shows ten recovery codes, stores the secret sealed and the codes as digests", async () => {
    expect(new Set(ana.recoveryCodes).size).toBe(10)
    const rows = await api.database.superuser.query(
      "select t::text as text from rackwire_totp t union all select c::text from rackwire_recovery_code c"
    )
    const stored = JSON.stringify(rows)
    const secrets = [ana.secret, ...ana.recoveryCodes, ...ana.recoveryCodes.map((code) => code.replaceAll("-", ""))]
    expect([rows.length, secrets.filter((secret) => stored.includes(secret))]).toEqual([11, []])
  })

  it("shows the same secret again after a wrong code, and stores nothing", async () => {
    const browser = openBrowser(api.service.url)
    await browser.logIn("berit", userPassword)
    const { answer, text, ticket } = await sendSetUp(browser, () => "000000")
    expect([answer.status, hiddenIn(text, "ticket") === ticket]).toEqual([200, true])
    expect(text).toContain("This is not the code of the app")
    expect((await openBrowser(api.service.url).logIn("berit", userPassword)).headers.get("location")).toBe("/")
  })

  it("ends the sessions of the user in other browsers", async () => {
    await makeUser(api, "carla")
    const before = openBrowser(api.service.url)
    await before.logIn("carla", userPassword)
    const { browser } = await setUpApp(api, "carla")
    const statuses = [(await before.fetch("/user/factors/")).status, (await browser.fetch("/user/factors/")).status]
    expect(statuses).toEqual([302, 200])
  })

  it("refuses the ticket of another user", async () => {
    await makeUser(api, "dora")
    const [own, other] = [openBrowser(api.service.url), openBrowser(api.service.url)]
    await own.logIn("berit", userPassword)
    await other.logIn("dora", userPassword)
    const { secret, ticket } = await sendSetUp(own, () => "000000")
    const page = await (await other.fetch("/user/factors/app/")).text()
    const body = new URLSearchParams({
      ...{ csrfmiddlewaretoken: hiddenIn(page, "csrfmiddlewaretoken"), ticket, code: codeOf(secret) }
    })
    const answer = await (await other.fetch("/user/factors/app/", { method: "POST", body })).text()
    expect([answer.includes("here is a new secret"), answer.includes("recovery codes")]).toEqual([true, false])
  })
})

describe("a login", () => {
  it("begins no session before the second factor, and leads to the page that was requested", async () => {
    const browser = await atFactor(api.service.url, "ana", "/user/sessions/")
    expect([...browser.cookies.keys()].sort()).toEqual(["csrftoken", "secondfactor"])
    expect((await browser.fetch("/user/sessions/")).status).toBe(302)
    const answer = await sendFactor(browser, { code: codeOf(ana.secret) })
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/user/sessions/"])
    expect((await browser.fetch("/user/sessions/")).status).toBe(200)
    expect(browser.cookies.has("secondfactor")).toBe(false)
  })

  it("refuses a code that was used, and codes of earlier steps", async () => {
    await forgetSteps(api)
    const code = codeOf(ana.secret, 1)
    expect((await sendFactor(await atFactor(api.service.url, "ana"), { code })).status).toBe(302)
    for (const old of [code, codeOf(ana.secret), codeOf(ana.secret, -1)]) {
      const answer = await sendFactor(await atFactor(api.service.url, "ana"), { code: old })
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("it was used before")])
    }
    await forgetSteps(api)
  })

  it("takes each recovery code once, as people type it", async () => {
    const [code = ""] = ana.recoveryCodes
    const recovery = ` ${code.toUpperCase().replaceAll("-", " ")} `
    expect((await sendFactor(await atFactor(api.service.url, "ana"), { recovery })).status).toBe(302)
    const again = await sendFactor(await atFactor(api.service.url, "ana"), { recovery: code })
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("it was used before")])
    expect(await (await ana.browser.fetch("/user/factors/")).text()).toContain("9 of 10 are left")
  })

  it("with a wrong password answers the same, whether the user has a factor or does not exist", async () => {
    const pages = ["ana", "berit", "nobody"].map(async (name) => {
      const browser = openBrowser(api.service.url)
      const answer = await browser.logIn(name, "a wrong password")
      const text = (await answer.text()).replaceAll(browser.cookies.get("csrftoken")!, "").replaceAll(name, "")
      return [answer.status, answer.headers.getSetCookie().length, text]
    })
    const [one, ...others] = await Promise.all(pages)
    expect(others).toEqual([one, one])
  })
})

describe("provisioning a token", () => {
  const credentials = { username: "ana", password: userPassword }

  it("is refused without a code, and after a wrong password as without a factor", async () => {
    const refused = await provision(credentials)
    expect([refused.status, refused.json["detail"]]).toEqual([403, expect.stringContaining("in the field otp")])
    const wrong = await provision({ ...credentials, password: "wrong" })
    expect(wrong.json).toEqual({ detail: "Invalid username/password" })
    for (const otp of ["000000", "", null, 5, ["123456"], { a: 1 }])
      expect([otp, (await provision({ ...credentials, otp })).status]).toEqual([otp, 403])
  })

  it("takes a code in the field otp, once", async () => {
    await forgetSteps(api)
    const otp = codeOf(ana.secret)
    const statuses = [
      (await provision({ ...credentials, otp })).status,
      (await provision({ ...credentials, otp })).status
    ]
    expect(statuses).toEqual([201, 403])
  })

  it("needs nothing more for a user without a factor", async () => {
    expect((await provision({ username: "berit", password: userPassword })).status).toBe(201)
  })
})

describe("changes of a factor", () => {
  /** Moves the last confirmation of all sessions into the past. */
  const age = () => api.database.superuser.query("update rackwire_session set confirmed = now() - interval '6 minutes'")

  it("five minutes after the login need the password or a code again", async () => {
    await age()
    for (const [method, path] of [
      ["GET", "/user/factors/app/"],
      ["POST", "/user/factors/recovery/"],
      ["POST", "/user/factors/"]
    ] as const) {
      const page = await (await ana.browser.fetch("/user/factors/")).text()
      const body = new URLSearchParams({ csrfmiddlewaretoken: hiddenIn(page, "csrfmiddlewaretoken") })
      const answer = await ana.browser.fetch(path, { method, ...(method === "POST" && { body }) })
      expect([path, answer.headers.get("location")?.split("?")[0]]).toEqual([path, "/user/confirm/"])
    }
    const wrong = await ana.browser.submit("/user/confirm/?next=/user/", { password: "wrong", next: "/user/" })
    expect([wrong.status, await wrong.text()]).toEqual([200, expect.stringContaining("This is not your password")])
    const right = await ana.browser.submit("/user/confirm/", { password: userPassword, next: "/user/" })
    expect(right.headers.get("location")).toBe("/user/")
    await age()
    await forgetSteps(api)
    const code = codeOf(ana.secret)
    const answers = [
      await ana.browser.submit("/user/confirm/", { code, next: "//evil.example/" }),
      await ana.browser.submit("/user/confirm/", { code, next: "/" })
    ]
    // An address of another site is no next page, and the code counts once here as well.
    expect(answers.map((answer) => answer.headers.get("location"))).toEqual(["/", null])
  })

  it("replace the recovery codes, and remove the factor", async () => {
    const renewed = await ana.browser.submit("/user/factors/", {})
    expect(renewed.headers.get("location")).toBe("/user/factors/?removed=1")
    expect((await openBrowser(api.service.url).logIn("ana", userPassword)).headers.get("location")).toBe("/")
    const left = await api.database.superuser.query(
      "select c.id from rackwire_recovery_code c join users_user u on u.id = c.user_id where u.username = 'ana'"
    )
    expect(left).toEqual([])
    const { browser, recoveryCodes } = await setUpApp(api, "ana")
    const page = await (await browser.fetch("/user/factors/")).text()
    const body = new URLSearchParams({ csrfmiddlewaretoken: hiddenIn(page, "csrfmiddlewaretoken") })
    const text = await (await browser.fetch("/user/factors/recovery/", { method: "POST", body })).text()
    expect(recoveryCodes.filter((code) => text.includes(code))).toEqual([])
    const old = await sendFactor(await atFactor(api.service.url, "ana"), { recovery: recoveryCodes[0]! })
    expect(old.status).toBe(200)
    const [, fresh = ""] = /<li>([\w-]{19})<\/li>/.exec(text)!
    expect((await sendFactor(await atFactor(api.service.url, "ana"), { recovery: fresh })).status).toBe(302)
  })
})
