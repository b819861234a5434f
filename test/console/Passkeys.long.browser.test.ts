/** Passkeys in a real browser with a virtual authenticator: adding, both kinds of login, confirmation, and attacks. */
import type { Browser as Chromium, CDPSession, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { hiddenIn } from "../auth/factor/App.ts"
import { type Browser, openBrowser } from "../auth/Browser.ts"
import { makeUser, userPassword } from "../auth/Users.ts"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import { at, closePages, faultsOf, hasBrowser, logIn, watch, type Watched, workerBrowser } from "../support/Browser.ts"
import { type Service, startService } from "../support/Service.ts"

let api: Api
/** Another service on the same database: another origin of the same host. */
let other: Service
let chromium: Chromium
let watched: Watched
let page: Page
let device: CDPSession
let authenticatorId: string

/** Browsers keep passkeys for host names alone. */
const named = (url: string): string => url.replace("127.0.0.1", "localhost")

/** Adds a passkey to the account of a user, in a session of its own. */
const add = async (name: string) => {
  await page.context().clearCookies()
  await logIn(page, name, userPassword)
  await page.waitForURL(at("/"))
  await page.goto("/user/factors/passkeys/")
  await page.fill("[name=name]", `Key of ${name}`)
  await page.keyboard.press("Enter")
}

beforeAll(async () => {
  if (!hasBrowser) return
  const limits = { LOGIN_ATTEMPTS_PER_USER: "100", LOGIN_ATTEMPTS_PER_ADDRESS: "1000" }
  api = await startApi(limits)
  other = await startService({ ...environmentOf(api.database), ...limits }, { roles: ["api"] })
  for (const name of ["mia", "nils", "ole"]) await makeUser(api, name)
  chromium = await workerBrowser()
  watched = await watch(chromium, named(api.service.url), { reducedMotion: "reduce" })
  page = watched.page
  device = await page.context().newCDPSession(page)
  await device.send("WebAuthn.enable")
  const options = {
    ...({ protocol: "ctap2", transport: "internal", hasResidentKey: true } as const),
    ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  }
  authenticatorId = (await device.send("WebAuthn.addVirtualAuthenticator", { options })).authenticatorId
})

afterAll(async () => {
  if (!hasBrowser) return
  await closePages(chromium)
  await other.stop()
  await api.stop()
})

afterEach(() => {
  if (!hasBrowser) return
  const problems = watched.problems.filter((problem) => !problem.includes(named(other.url)))
  if (problems.length > 0) throw new Error(problems.join("\n"))
})

describe.skipIf(!hasBrowser)("a passkey", () => {
  it("is added, and logs in beside the password and in place of it", async () => {
    expect(await (await openBrowser(named(api.service.url)).fetch("/login/")).text()).not.toContain("passkey")
    await add("mia")
    await page.locator("#codes").waitFor()
    expect(await page.locator("#codes li").count()).toBe(10)
    await page.goto("/user/factors/")
    expect(await page.textContent("main")).toContain("Key of mia")
    expect(await faultsOf(page)).toEqual([])

    await page.context().clearCookies()
    await logIn(page, "mia", userPassword)
    await page.waitForURL(at("/login/factor/"))
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("button", { name: "Use a passkey" }).press("Enter")
    await page.waitForURL(at("/"))
    await page.goto("/user/")
    expect(await page.textContent("main")).toContain("mia")

    await api.database.superuser.query("update rackwire_session set confirmed = now() - interval '6 minutes'")
    await page.goto("/user/factors/passkeys/")
    await page.waitForURL("**/user/confirm/**")
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("button", { name: "Use a passkey" }).click()
    await page.waitForURL(at("/user/factors/passkeys/"))
    expect(await faultsOf(page)).toEqual([])
    // The device refuses a second one for the same user.
    await page.fill("[name=name]", "again")
    await page.keyboard.press("Enter")
    await page.getByText("This device has a passkey of yours already").waitFor()

    await page.context().clearCookies()
    await page.goto("/login/?next=/user/sessions/")
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("button", { name: "Log in with a passkey" }).press("Enter")
    await page.waitForURL(at("/user/sessions/"))
  })

  it("is refused beyond ten of one user", async () => {
    await page.context().clearCookies()
    await logIn(page, "nils", userPassword)
    await page.waitForURL(at("/"))
    await page.goto("/user/factors/passkeys/")
    await api.database.superuser.query(`
      insert into rackwire_passkey (user_id, credential, public_key, counter, name)
      select id, 'c' || n, '', 0, 'n' from users_user, generate_series(1, 10) n where username = 'nils'`)
    await page.fill("[name=name]", "eleventh")
    await page.keyboard.press("Enter")
    await page.getByText("or you have 10 passkeys").waitFor()
    await api.database.superuser.query("delete from rackwire_passkey where name = 'n'")
    await page.goto("/user/factors/passkeys/")
    await page.fill("[name=name]", "Key of nils")
    await page.keyboard.press("Enter")
    await page.locator("#codes").waitFor()
    await page.goto("/user/factors/")
    expect(await page.locator(".passkeys li").count()).toBe(1)
  })

  it("is removed, and the recovery codes with the last factor", async () => {
    const kept = (await device.send("WebAuthn.getCredentials", { authenticatorId })).credentials
    await page.context().clearCookies()
    await logIn(page, "ole", userPassword)
    await page.waitForURL(at("/"))
    await page.goto("/user/factors/passkeys/")
    await page.fill("[name=name]", "<b>Key</b>")
    await page.keyboard.press("Enter")
    await page.locator("#codes").waitFor()
    await page.goto("/user/factors/")
    await page.getByRole("button", { name: "Remove <b>Key</b>" }).press("Enter")
    await page.locator(".passkeys").waitFor({ state: "detached" })
    const left = await api.database.superuser.query(
      "select c.id from rackwire_recovery_code c join users_user u on u.id = c.user_id where u.username = 'ole'"
    )
    expect([left, await page.locator("#recovery").count()]).toEqual([[], 0])
    // The device would sign later logins by it.
    await device.send("WebAuthn.clearCredentials", { authenticatorId })
    for (const credential of kept) await device.send("WebAuthn.addCredential", { authenticatorId, credential })
  })
})

/** The forms of a page for a passkey: its request, and the hidden inputs that return. */
const requestIn = (text: string) => {
  const entities: Readonly<Record<string, string>> = { "&quot;": '"', "&amp;": "&", "&#39;": "'" }
  const json = /data-options="([^"]*)"/.exec(text)![1]!.replaceAll(/&\w+;|&#39;/g, (entity) => entities[entity]!)
  return { options: JSON.parse(json) as Record<string, unknown>, ticket: hiddenIn(text, "ticket") }
}

/** The answer of the device to a request, signed on a page of this origin. */
const signed = async (origin: string, options: Record<string, unknown>): Promise<string> => {
  await page.goto(`${origin}/login/`)
  return page.evaluate<string>(`navigator.credentials
    .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })
    .then((credential) => JSON.stringify(credential.toJSON()))`)
}

const post = (visitor: Browser, path: string, ticket: string, answer: string) => {
  const csrfmiddlewaretoken = visitor.cookies.get("csrftoken")!
  const body = new URLSearchParams({ csrfmiddlewaretoken, ticket, answer })
  return visitor.fetch(path, { method: "POST", body })
}

describe.skipIf(!hasBrowser)("an answer for a login by a passkey alone", () => {
  const begun = async () => {
    const visitor = openBrowser(named(api.service.url))
    return { visitor, ...requestIn(await (await visitor.fetch("/login/")).text()) }
  }

  it("counts once, also of concurrent requests in two processes", async () => {
    const { visitor, options, ticket } = await begun()
    const answer = await signed(named(api.service.url), options)
    const there = openBrowser(named(api.service.url))
    for (const [name, value] of visitor.cookies) there.cookies.set(name, value)
    const answers = await Promise.all([visitor, there].map((each) => post(each, "/login/passkey/", ticket, answer)))
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 403])
    // Nor by its counter alone: passkeys that several devices share have none.
    await api.database.superuser.query("update rackwire_passkey set counter = 0")
    expect((await post(there, "/login/passkey/", ticket, answer)).status).toBe(403)
  })

  it("is refused from another origin, another browser, and for another challenge", async () => {
    const { visitor, options, ticket } = await begun()
    const foreign = await signed(named(other.url), options)
    expect((await post(visitor, "/login/passkey/", ticket, foreign)).status).toBe(403)
    const one = await begun()
    const answer = await signed(named(api.service.url), one.options)
    const two = await begun()
    expect((await post(two.visitor, "/login/passkey/", two.ticket, answer)).status).toBe(403)
    expect((await post(two.visitor, "/login/passkey/", one.ticket, answer)).status).toBe(403)
    expect((await post(one.visitor, "/login/passkey/", one.ticket, answer)).status).toBe(302)
  })

  it("is refused if the device has not verified the user, and if its counter does not rise", async () => {
    const one = await begun()
    await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false })
    const unverified = await signed(named(api.service.url), { ...one.options, userVerification: "discouraged" })
    await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true })
    expect((await post(one.visitor, "/login/passkey/", one.ticket, unverified)).status).toBe(403)
    await api.database.superuser.query("update rackwire_passkey set counter = counter + 1000")
    const two = await begun()
    const cloned = await signed(named(api.service.url), two.options)
    expect((await post(two.visitor, "/login/passkey/", two.ticket, cloned)).status).toBe(403)
    await api.database.superuser.query("update rackwire_passkey set counter = counter - 1000")
  })

  it.each([
    "",
    "{}",
    "null",
    "[]",
    '{"id":5}',
    '{"id":"x","rawId":"x","type":"public-key","response":{}}',
    "x".repeat(20_000)
  ])("is refused where it is %j", async (answer) => {
    const { visitor, ticket } = await begun()
    expect((await post(visitor, "/login/passkey/", ticket, answer)).status).toBe(403)
  })
})

describe.skipIf(!hasBrowser)("an answer for a second factor", () => {
  const begun = async (name: string) => {
    const visitor = openBrowser(named(api.service.url))
    await visitor.logIn(name, userPassword)
    return { visitor, ...requestIn(await (await visitor.fetch("/login/factor/")).text()) }
  }

  it("counts without a verified user, and once", async () => {
    const { visitor, options, ticket } = await begun("mia")
    await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false })
    const answer = await signed(named(api.service.url), { ...options, userVerification: "discouraged" })
    await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true })
    expect((await post(visitor, "/login/factor/", ticket, answer)).status).toBe(302)
    const again = await begun("mia")
    expect((await post(again.visitor, "/login/factor/", ticket, answer)).status).toBe(200)
  })

  it("is refused by a passkey of another user", async () => {
    const [mia, nils] = [await begun("mia"), await begun("nils")]
    const answer = await signed(named(api.service.url), { ...nils.options, challenge: mia.options["challenge"] })
    const refused = await post(mia.visitor, "/login/factor/", mia.ticket, answer)
    expect([refused.status, mia.visitor.cookies.has("sessionid")]).toEqual([200, false])
  })
})
