/** Sign-ins by a provider where several processes serve, published under a path of a TLS address. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, environmentOf, startApiAlone } from "../../support/Api.ts"
import { type Service, startService } from "../../support/Service.ts"
import { type Browser, openBrowser } from "../Browser.ts"
import { type HostileProvider, giving, honest, signed, startHostileProvider } from "./HostileProvider.ts"

let provider: HostileProvider
let api: Api
let other: Service
/** The addresses at which the two processes listen themselves. */
let urls: readonly [one: string, other: string]

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

beforeAll(async () => {
  provider = await startHostileProvider()
  const options = {
    BASE_URL: "https://rackwire.example/inventory",
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: "rackwire"
  }
  const [one, two] = [await freePort(), await freePort()]
  urls = [`http://127.0.0.1:${one}`, `http://127.0.0.1:${two}`]
  api = await startApiAlone({ ...options, PORT: `${one}` })
  other = await startService({ ...environmentOf(api.database), ...options, PORT: `${two}` }, { roles: ["api"] })
})

afterAll(async () => {
  await other.stop()
  await api.stop()
  await provider.stop()
})

/** A visitor on the page of the provider: its cookies, the address, and the answer that led there. */
const begun = async () => {
  const visitor = openBrowser(urls[0])
  const answer = await visitor.fetch("/inventory/login/oidc/?next=/dcim/sites/")
  return { visitor, answer, page: new URL(answer.headers.get("location")!) }
}

/** The return of the visitor to a process. */
const returned = async (url: string, { visitor, page }: { readonly visitor: Browser; readonly page: URL }) => {
  const query = new URLSearchParams({ code: "c", state: page.searchParams.get("state")!, iss: provider.issuer })
  const there = openBrowser(url)
  for (const [name, value] of visitor.cookies) there.cookies.set(name, value)
  return there.fetch(`/inventory/login/oidc/callback/?${query}`)
}

it("another process finishes a sign-in; the addresses and cookies are the published ones", async () => {
  const journey = await begun()
  expect(journey.page.searchParams.get("redirect_uri")).toBe("https://rackwire.example/inventory/login/oidc/callback/")
  const cookie = journey.answer.headers.getSetCookie().find((line) => line.startsWith("__Secure-signin="))
  for (const part of ["Path=/inventory", "Secure", "HttpOnly", "SameSite=Lax"]) expect(cookie).toContain(part)
  provider.token = giving(
    await signed(honest(provider.issuer, journey.page.searchParams.get("nonce")!), provider.keys[0]!)
  )
  const answer = await returned(urls[1], journey)
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/inventory/dcim/sites/"])
  // Its repetition is refused in every process.
  expect([(await returned(urls[1], journey)).status, (await returned(urls[0], journey)).status]).toEqual([403, 403])
})

it("two first sign-ins of an account at once make one user", async () => {
  const journeys = await Promise.all([begun(), begun()])
  const claims = (nonce: string) => ({ ...honest(provider.issuer, nonce), sub: "twin-1", preferred_username: "twin" })
  const tokens = await Promise.all(
    journeys.map(({ page }) => signed(claims(page.searchParams.get("nonce")!), provider.keys[0]!))
  )
  // Each answer waits for both requests; the token of the wrong one is refused by its nonce.
  const waiting: Array<() => void> = []
  provider.token = (response) => {
    const token = tokens[waiting.length]!
    waiting.push(() => giving(token)(response))
    if (waiting.length === 2) for (const go of waiting) go()
  }
  const answers = await Promise.all([
    returned(urls[0], journeys[0]!),
    new Promise<Response>((resolve) => {
      const first = setInterval(() => {
        if (waiting.length === 0) return
        clearInterval(first)
        resolve(returned(urls[1], journeys[1]!))
      }, 1)
    })
  ])
  expect(answers.map(({ status }) => status)).toEqual([302, 302])
  const users = await api.database.sql.query("select username from users_user where username like 'twin%'")
  expect(users).toEqual([{ username: "twin" }])
})
