/** Passwords beside providers, providers that are away, and the findings of `check` about them. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { type Api, environmentOf, startApiAlone } from "../../support/Api.ts"
import { password } from "../../support/Client.ts"
import { runCommand } from "../../support/Command.ts"
import { openBrowser } from "../Browser.ts"
import { makeUser, userPassword } from "../Users.ts"
import { startHostileProvider } from "./HostileProvider.ts"
import { thorough } from "../../support/Seed.ts"

const provisioned = async (api: Api, username: string, secret: string) =>
  (await api.raw("POST", "/api/users/tokens/provision/", { username, password: secret })).status

thorough("LOCAL_LOGIN=superusers lets superusers alone log in by password, and says so", async () => {
  const api = await startApiAlone({
    LOCAL_LOGIN: "superusers",
    OIDC_ISSUER: "https://login.example",
    OIDC_CLIENT_ID: "a"
  })
  await makeUser(api, "ana")
  const tried = async (name: string, secret: string) => (await openBrowser(api.service.url).logIn(name, secret)).status
  expect([await tried("admin", password), await tried("ana", userPassword)]).toEqual([302, 200])
  expect([await provisioned(api, "admin", password), await provisioned(api, "ana", userPassword)]).toEqual([201, 403])
  expect(await (await openBrowser(api.service.url).fetch("/login/")).text()).toContain(
    "as a superuser, with a password"
  )
  await api.stop()
})

thorough("LOCAL_LOGIN=off takes no password, and shows no form for one; sessions and tokens stay valid", async () => {
  const token = "0123456789abcdef0123456789abcdef01234567"
  const options = { LOCAL_LOGIN: "off", OIDC_ISSUER: "https://login.example", OIDC_CLIENT_ID: "a" }
  const api = await startApiAlone({ ...options, SUPERUSER_API_TOKEN: token })
  const visitor = openBrowser(api.service.url)
  const shown = await (await visitor.fetch("/login/")).text()
  expect([shown.includes('type="password"'), shown.includes("Log in with single sign-on")]).toEqual([false, true])
  const body = new URLSearchParams({
    ...{ username: "admin", password, csrfmiddlewaretoken: visitor.cookies.get("csrftoken")! }
  })
  expect((await visitor.fetch("/login/", { method: "POST", body })).status).toBe(200)
  expect([visitor.cookies.has("sessionid"), await provisioned(api, "admin", password)]).toEqual([false, 403])
  expect((await api.raw("GET", "/api/users/users/", undefined, token)).status).toBe(200)
  await api.stop()
})

it("a provider that is away leaves sessions and passwords alone; it counts again when it answers", async () => {
  const hostile = await startHostileProvider()
  let isAway = true
  const front = createServer((request, response) => {
    if (isAway) return void response.writeHead(503).end()
    hostile.metadata = { issuer }
    void fetch(hostile.issuer + request.url).then(async (answer) =>
      response.writeHead(200, { "content-type": "application/json" }).end(await answer.text())
    )
  })
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const options = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "rackwire", OIDC_LABEL: "Company login" }
  const api = await startApiAlone(options)
  const visitor = openBrowser(api.service.url)
  await visitor.logIn()
  const away = await openBrowser(api.service.url).fetch("/login/oidc/")
  expect([away.status, await away.text()]).toEqual([503, expect.stringContaining("Company login does not answer")])
  expect((await visitor.fetch("/api/users/users/")).status).toBe(200)
  const env = { ...environmentOf(api.database), ...options }
  const before = await runCommand(["check"], { env })
  expect(before.output).toContain("CHANGE provider Company login: does not answer")
  isAway = false
  expect((await openBrowser(api.service.url).fetch("/login/oidc/")).status).toBe(302)
  const after = await runCommand(["check"], { env })
  expect(after.output).toContain(`ok    provider Company login: ${issuer} answers`)
  // Discovery is read once.
  const count = hostile.requests.length
  expect((await openBrowser(api.service.url).fetch("/login/oidc/")).status).toBe(302)
  expect(hostile.requests.length).toBe(count)
  await api.stop()
  await hostile.stop()
  front.closeAllConnections()
  await new Promise((resolve) => front.close(resolve))
})

it.each([
  [{ OIDC_ISSUER: "http://login.example" }, "OIDC_ISSUER"],
  [{ OIDC_ISSUER: "https://login.example" }, "OIDC_CLIENT_ID: is not set"],
  [{ OIDC_ISSUER: "https://a:b@login.example", OIDC_CLIENT_ID: "a" }, "OIDC_ISSUER"],
  [{ OIDC_CORP_ISSUER: "https://login.example" }, "OIDC_CORP_CLIENT_ID: is not set"],
  [{ OIDC_CALLBACK_ISSUER: "https://login.example", OIDC_CALLBACK_CLIENT_ID: "a" }, "choose another name"]
])("the service does not start with %j", async (options, words) => {
  await expect(startApiAlone(options)).rejects.toThrow(words)
})
