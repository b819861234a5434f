/** Attacks on the second factor: replays, races of two processes, foreign browsers, forged tickets, guesses. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApiAlone } from "../../support/Api.ts"
import { type Service, startService } from "../../support/Service.ts"
import { type Browser, openBrowser } from "../Browser.ts"
import { makeUser, userPassword } from "../Users.ts"
import { type AppOwner, atFactor, codeOf, forgetSteps, hiddenIn, sendFactor, setUpApp } from "./App.ts"

let api: Api
/** Another service on the same database. */
let other: Service
let eva: AppOwner

const limits = { LOGIN_ATTEMPTS_PER_USER: "12", LOGIN_ATTEMPTS_PER_ADDRESS: "1000" }

beforeAll(async () => {
  api = await startApiAlone(limits)
  other = await startService({ ...environmentOf(api.database), ...limits }, { roles: ["api"] })
  for (const name of ["eva", "finn", "gro", "hal"]) await makeUser(api, name)
  eva = await setUpApp(api, "eva")
})

afterAll(async () => {
  await other.stop()
  await api.stop()
})

beforeEach(() => forgetSteps(api))

/** The same browser at the other process. */
const elsewhere = (browser: Browser): Browser => {
  const there = openBrowser(other.url)
  for (const [name, value] of browser.cookies) there.cookies.set(name, value)
  return there
}

/** Sends one form by several browsers at the same moment. Returns the sorted statuses. */
const race = async (browsers: ReadonlyArray<Browser>, fields: Readonly<Record<string, string>>) => {
  const sends = browsers.map((browser) => {
    const body = new URLSearchParams({ csrfmiddlewaretoken: browser.cookies.get("csrftoken")!, ...fields })
    return browser.fetch("/login/factor/", { method: "POST", body })
  })
  return (await Promise.all(sends)).map(({ status }) => status).sort()
}

/** Locks the rows of a table until four statements wait for them, so that all requests have read the rows before. */
const holdRows = async (table: string) => {
  const held = api.database.superuser.transaction(
    `select id from ${table} for update`,
    `do $$ begin
       for n in 1..600 loop
         exit when (select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '% ${table}%') >= 4;
         perform pg_sleep(0.05), pg_stat_clear_snapshot();
       end loop;
     end $$`
  )
  const holders = "select pid from pg_stat_activity where state = 'active' and query like 'do $$%pg_sleep%'"
  await expect.poll(() => api.database.superuser.query(holders)).toHaveLength(1)
  return { done: held }
}

describe("concurrent requests", () => {
  it.each(["code", "recovery"] as const)("in two processes with one %s begin one session", async (field) => {
    const one = await atFactor(api.service.url, "eva")
    const two = await atFactor(api.service.url, "eva")
    const value = field === "code" ? codeOf(eva.secret) : eva.recoveryCodes[0]!
    const held = await holdRows(field === "code" ? "rackwire_totp" : "rackwire_recovery_code")
    const statuses = await race([one, elsewhere(one), two, elsewhere(two)], { [field]: value })
    await held.done
    expect(statuses).toEqual([200, 200, 200, 302])
  })
})

describe("a login under way", () => {
  it("continues in another process of the service", async () => {
    const there = elsewhere(await atFactor(api.service.url, "eva"))
    expect((await sendFactor(there, { code: codeOf(eva.secret) })).status).toBe(302)
  })

  it("does not count in another browser, whose cookie for forms is its own", async () => {
    const stolen = (await atFactor(api.service.url, "eva")).cookies.get("secondfactor")!
    const thief = openBrowser(api.service.url)
    await thief.fetch("/login/")
    thief.cookies.set("secondfactor", stolen)
    const body = new URLSearchParams({
      ...{ csrfmiddlewaretoken: thief.cookies.get("csrftoken")!, code: codeOf(eva.secret) }
    })
    const answer = await thief.fetch("/login/factor/", { method: "POST", body })
    expect([answer.status, thief.cookies.has("sessionid")]).toEqual([403, false])
  })

  it("ends when the password changes, and when the user is inactive", async () => {
    const finn = await setUpApp(api, "finn")
    const [changed, inactive] = [await atFactor(api.service.url, "finn"), await atFactor(api.service.url, "finn")]
    const [{ id }] = (await api.database.superuser.query("select id from users_user where username = 'finn'")) as [
      { readonly id: string }
    ]
    const pages = [await (await changed.fetch("/login/factor/")).text()]
    await api.call("PATCH", `/api/users/users/${id}/`, { is_active: false })
    expect((await race([inactive], { code: codeOf(finn.secret) }))[0]).toBe(403)
    await api.call("PATCH", `/api/users/users/${id}/`, { is_active: true, password: "another password" })
    const body = new URLSearchParams({
      ...{ csrfmiddlewaretoken: hiddenIn(pages[0]!, "csrfmiddlewaretoken"), code: codeOf(finn.secret) }
    })
    const answer = await changed.fetch("/login/factor/", { method: "POST", body })
    expect([answer.status, changed.cookies.has("sessionid")]).toEqual([403, false])
  })

  it.each([
    ["a changed ticket", (ticket: string) => `${ticket.slice(0, -2)}AA`],
    ["no ticket", () => ""],
    ["a sealed text of another use", (_: string, setUp: string) => setUp]
  ])("is refused with %s", async (_, forged) => {
    const browser = await atFactor(api.service.url, "eva")
    const gro = openBrowser(api.service.url)
    await gro.logIn("gro", userPassword)
    const setUp = hiddenIn(await (await gro.fetch("/user/factors/app/")).text(), "ticket")
    browser.cookies.set("secondfactor", forged(browser.cookies.get("secondfactor")!, setUp))
    expect(await race([browser], { code: codeOf(eva.secret) })).toEqual([403])
    expect((await browser.fetch("/login/factor/")).headers.get("location")).toBe("/login/")
  })

  it("needs the token of a form: another site cannot complete it", async () => {
    const browser = await atFactor(api.service.url, "eva")
    const body = new URLSearchParams({ code: codeOf(eva.secret) })
    expect((await browser.fetch("/login/factor/", { method: "POST", body })).status).toBe(403)
  })

  it("takes no code of another user", async () => {
    const gro = await setUpApp(api, "gro")
    const browser = await atFactor(api.service.url, "eva")
    for (const fields of [{ code: codeOf(gro.secret) }, { recovery: gro.recoveryCodes[0]! }])
      expect((await sendFactor(browser, fields)).status).toBe(200)
    expect(browser.cookies.has("sessionid")).toBe(false)
  })
})

describe("guesses", () => {
  it("of codes count against the limit of the user name in all processes, whichever endpoint takes them", async () => {
    const hal = await setUpApp(api, "hal")
    const browser = await atFactor(api.service.url, "hal")
    const there = elsewhere(browser)
    for (let n = 0; n < 6; n++) {
      expect(await race([browser, there], { code: "abcdef" })).toEqual([200, 200])
    }
    const right = codeOf(hal.secret)
    expect(await race([browser], { code: right })).toEqual([429])
    expect(await race([there], { recovery: hal.recoveryCodes[0]! })).toEqual([429])
    const credentials = { username: "hal", password: userPassword, otp: right }
    expect((await api.raw("POST", "/api/users/tokens/provision/", credentials)).status).toBe(429)
  })

  it("of passkeys in a session count as well", async () => {
    await makeUser(api, "ina")
    // Browsers keep passkeys for names, not for addresses.
    const browser = openBrowser(api.service.url.replace("127.0.0.1", "localhost"))
    await browser.logIn("ina", userPassword)
    await api.database.sql.query("update rackwire_session set confirmed = now() - interval '1 hour'")
    const guess = async () => (await browser.submit("/user/confirm/", { ticket: "a", answer: "{}" })).status
    const statuses = []
    for (let n = 0; n <= 12; n++) statuses.push(await guess())
    expect(statuses).toEqual([...Array.from({ length: 12 }, () => 200), 429])
  })
})
