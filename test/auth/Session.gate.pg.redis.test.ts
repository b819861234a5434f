/** Logging in with a browser, over real HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { named, password } from "../support/Client.ts"
import { openBrowser } from "./Browser.ts"
import { makeUser, userPassword } from "./Users.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})

afterAll(() => api.stop())

const browser = () => openBrowser(api.service.url)
const sites = "/api/dcim/sites/"

const post = (csrf: string | undefined, name: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify(named(name)),
  headers: { "content-type": "application/json", ...(csrf === undefined ? {} : { "x-csrftoken": csrf }), ...headers }
})

describe("a session", () => {
  it("begins with the right password, with a cookie hidden from scripts, and opens the API", async () => {
    const visitor = browser()
    expect((await visitor.fetch(sites)).status).toBe(403)
    const answer = await visitor.logIn("admin", password, "/api/")
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/api/"])
    const set = answer.headers.getSetCookie().find((line) => line.startsWith("sessionid="))!
    for (const part of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=1296000"]) expect(set).toContain(part)
    expect((await visitor.fetch(sites)).status).toBe(200)
    const stored = await api.database.sql.query<{ digest: string }>("select digest from rackwire_session")
    expect(stored.map(({ digest }) => digest)).not.toContain(visitor.cookies.get("sessionid"))
  })

  it("does not begin with a wrong password, which gets the same answer as an unknown user", async () => {
    for (const [name, secret] of [
      ["admin", "wrong"],
      ["nobody", password],
      ["admin", ""]
    ] as const) {
      const visitor = browser()
      const answer = await visitor.logIn(name, secret)
      expect([answer.status, visitor.cookies.has("sessionid")]).toEqual([200, false])
      expect(await answer.text()).toContain("Please enter a correct username and password.")
    }
  })

  it("writes only with the CSRF token of its own forms; refusals have NetBox's texts", async () => {
    const visitor = browser()
    await visitor.logIn()
    const token = visitor.cookies.get("csrftoken")!
    const refused = async (options: RequestInit) => {
      const answer = await visitor.fetch(sites, options)
      return [answer.status, ((await answer.json()) as { detail: string }).detail]
    }
    expect(await refused(post(undefined, "A"))).toEqual([403, "CSRF Failed: CSRF token missing."])
    expect(await refused(post("x".repeat(64), "A"))).toEqual([
      403,
      "CSRF Failed: CSRF token from the 'X-Csrftoken' HTTP header incorrect."
    ])
    const [status, detail] = await refused(post(token, "A", { origin: "https://elsewhere.example" }))
    const text = "CSRF Failed: Origin checking failed - https://elsewhere.example does not match any trusted origins. "
    expect([status, detail]).toEqual([403, expect.stringContaining(text)])
    // Behind a proxy without settings it is the service's own address: the page and the log name the way out.
    for (const said of [detail, api.service.output()])
      for (const word of ["BASE_URL", "TRUSTED_PROXIES", "X-Forwarded-Host", "X-Forwarded-Proto"])
        expect(said).toContain(word)
    expect(api.service.output()).toContain(String.raw`refused: the service is known as \"${api.service.url}\"`)
    expect((await visitor.fetch(sites, post(token, "A", { origin: api.service.url }))).status).toBe(201)
    visitor.cookies.delete("csrftoken")
    expect(await refused(post(token, "B"))).toEqual([403, "CSRF Failed: CSRF cookie not set."])
  })

  it("overrides a token, which is then ignored; without a valid session the token counts", async () => {
    const visitor = browser()
    await visitor.logIn()
    const garbage = { authorization: `Token ${"0".repeat(40)}` }
    expect((await visitor.fetch(sites, { headers: garbage })).status).toBe(200)
    const token = { authorization: `Token ${await api.newToken()}` }
    expect((await visitor.fetch(sites, post(undefined, "C", token))).status).toBe(403)
    visitor.cookies.set("sessionid", "no-session")
    expect((await visitor.fetch(sites, { headers: garbage })).status).toBe(403)
    expect((await visitor.fetch(sites, post(undefined, "C", token))).status).toBe(201)
  })

  it("ends when its user logs out, everywhere", async () => {
    const visitor = browser()
    await visitor.logIn()
    const thief = browser()
    thief.cookies.set("sessionid", visitor.cookies.get("sessionid")!)
    expect((await thief.fetch(sites)).status).toBe(200)
    expect((await visitor.submit("/logout/", { csrfmiddlewaretoken: "wrong" })).status).toBe(403)
    expect((await visitor.submit("/logout/", {})).status).toBe(302)
    expect(visitor.cookies.has("sessionid")).toBe(false)
    expect((await thief.fetch(sites)).status).toBe(403)
  })

  it("is a new one after each login, which ends the previous one", async () => {
    const visitor = browser()
    visitor.cookies.set("sessionid", "chosen-by-somebody-else")
    await visitor.logIn()
    const first = visitor.cookies.get("sessionid")!
    expect(first).not.toBe("chosen-by-somebody-else")
    // Somebody who is logged in may log in again.
    const csrfmiddlewaretoken = visitor.cookies.get("csrftoken")!
    const body = new URLSearchParams({ csrfmiddlewaretoken, username: "admin", password })
    expect((await visitor.fetch("/login/", { method: "POST", body })).status).toBe(302)
    expect(visitor.cookies.get("sessionid")).not.toBe(first)
    visitor.cookies.set("sessionid", first)
    expect((await visitor.fetch(sites)).status).toBe(403)
  })

  it("ends when it expires, when the password changes, and when its user is deleted", async () => {
    const { id } = await makeUser(api, "session user", { types: ["dcim.site"], actions: ["view"] })
    const ends = [
      () => api.database.sql.query("update rackwire_session set expires = now() where user_id = $1", [id]),
      () => api.call("PATCH", `/api/users/users/${id}/`, { password: "another password" }),
      () => api.call("PATCH", `/api/users/users/${id}/`, { is_active: false, password: userPassword })
    ]
    for (const [at, end] of ends.entries()) {
      const visitor = browser()
      await visitor.logIn("session user", at === 2 ? "another password" : userPassword)
      expect([at, (await visitor.fetch(sites)).status]).toEqual([at, 200])
      await end()
      expect([at, (await visitor.fetch(sites)).status]).toEqual([at, 403])
    }
  })

  it("changes the password of its user, given the old one, and ends the user's other sessions", async () => {
    await makeUser(api, "changing")
    const [one, other] = [browser(), browser()]
    for (const each of [one, other]) await each.logIn("changing", userPassword)
    const change = (old_password: string, new_password: string) =>
      one.submit("/user/password/", { old_password, new_password })
    expect(await (await change("wrong", "a new password")).text()).toContain("was not that one")
    expect(await (await change(userPassword, "short")).text()).toContain("at least 8 characters")
    expect((await change(userPassword, "a new password")).status).toBe(302)
    const tokens = "/api/users/tokens/"
    expect([(await one.fetch(tokens)).status, (await other.fetch(tokens)).status]).toEqual([200, 403])
    expect((await browser().logIn("changing", userPassword)).status).toBe(200)
    expect((await browser().logIn("changing", "a new password")).status).toBe(302)
    const stranger = await browser().fetch("/user/password/")
    expect([stranger.status, stranger.headers.get("location")]).toEqual([302, "/login/?next=/user/password/"])
  })

  it("cannot be begun by a form of another site", async () => {
    const visitor = browser()
    const body = new URLSearchParams({ username: "admin", password, csrfmiddlewaretoken: "guessed" })
    const answer = await visitor.fetch("/login/", { method: "POST", body })
    expect([answer.status, answer.headers.getSetCookie().some((line) => line.startsWith("sessionid="))]).toEqual([
      403,
      false
    ])
  })

  it("continues to our own paths only", async () => {
    for (const next of [
      "https://evil.example/",
      "//evil.example/",
      "/\\evil.example/",
      "\\\\evil.example",
      "/%09/evil.example".replace("%09", "\t"),
      "javascript:alert(1)",
      "/.//evil.example",
      "/x\r\nset-cookie: a=b",
      "http:evil.example"
    ]) {
      const answer = await browser().logIn("admin", password, next)
      expect([next, answer.headers.get("location")]).toEqual([next, "/"])
    }
    const answer = await browser().logIn("admin", password, "/api/dcim/sites/?name=a&b=%2F")
    expect(answer.headers.get("location")).toBe("/api/dcim/sites/?name=a&b=%2F")
  })

  it("shows a visitor's input as text and never as HTML", async () => {
    const page = await (
      await browser().fetch(`/login/?next=${encodeURIComponent('/"><script>alert(1)</script>')}`)
    ).text()
    expect(page).not.toContain("<script>")
  })
})
