/** The end of sessions by logout tokens of a provider. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { type Browser, openBrowser } from "../Browser.ts"
import {
  type HostileProvider,
  giving,
  honest,
  newKeys,
  signed,
  signedByPublicKey,
  startHostileProvider,
  unsigned
} from "./HostileProvider.ts"

type Claims = Readonly<Record<string, unknown>>

let provider: HostileProvider
let api: Api

beforeAll(async () => {
  provider = await startHostileProvider()
  api = await startApiAlone({ OIDC_CORP_ISSUER: provider.issuer, OIDC_CORP_CLIENT_ID: "rackwire" })
})

afterAll(async () => {
  await api.stop()
  await provider.stop()
})

const seconds = () => Math.floor(Date.now() / 1000)

/** A visitor who has logged in with the claims. */
const loggedIn = async (claims: Claims): Promise<Browser> => {
  const visitor = openBrowser(api.service.url)
  const page = new URL((await visitor.fetch("/login/oidc/corp/")).headers.get("location")!)
  const [nonce, state] = ["nonce", "state"].map((name) => page.searchParams.get(name)!)
  provider.token = giving(await signed({ ...honest(provider.issuer, nonce!), ...claims }, provider.keys[0]!))
  const query = new URLSearchParams({ code: "c", state: state!, iss: provider.issuer })
  expect((await visitor.fetch(`/login/oidc/corp/callback/?${query}`)).status).toBe(302)
  return visitor
}

const ana = { sub: "ana-1", preferred_username: "ana" }
const bob = { sub: "bob-1", preferred_username: "bob" }

const logoutClaims = (rest: Claims = {}): Claims => ({
  ...{ iss: provider.issuer, aud: "rackwire", iat: seconds(), exp: seconds() + 120, jti: "one", sub: "ana-1" },
  events: { "http://schemas.openid.net/event/backchannel-logout": {} },
  ...rest
})

const logout = async (token: string) => {
  const body = new URLSearchParams({ logout_token: token })
  const answer = await fetch(`${api.service.url}/login/oidc/corp/backchannel/`, { method: "POST", body })
  return [answer.status, answer.headers.get("cache-control")]
}

const isLoggedIn = async (visitor: Browser) => (await visitor.fetch("/api/users/users/")).status === 200

it("ends the session at the provider that it names, or all sessions of a subject, and no others", async () => {
  const [laptop, phone, other] = [
    await loggedIn({ ...ana, sid: "laptop" }),
    await loggedIn({ ...ana, sid: "phone" }),
    await loggedIn(bob)
  ]
  const local = openBrowser(api.service.url)
  await local.logIn()
  const all = async () => [laptop, phone, other, local].map(isLoggedIn)
  const key = provider.keys[0]!
  expect(await Promise.all(await all())).toEqual([true, true, true, true])
  expect(await logout(await signed(logoutClaims({ sid: "laptop" }), key))).toEqual([200, "no-store"])
  expect(await Promise.all(await all())).toEqual([false, true, true, true])
  expect(await logout(await signed(logoutClaims(), key, { typ: "logout+jwt" }))).toEqual([200, "no-store"])
  expect(await Promise.all(await all())).toEqual([false, false, true, true])
  expect(api.service.output()).toContain("ended 1 sessions")
})

const attacks: ReadonlyArray<readonly [title: string, tokenOf: () => string | Promise<string>]> = [
  ["nothing", () => ""],
  ["text that is no token", () => "a.b.c"],
  ["a token that is not signed", () => unsigned(logoutClaims())],
  ["a token signed by HMAC with the public key", () => signedByPublicKey(logoutClaims(), provider.keys[0]!)],
  ["a token of another key", async () => signed(logoutClaims(), await newKeys("one"))],
  ["a token for another client", () => signed(logoutClaims({ aud: "another" }), provider.keys[0]!)],
  ["a token of another issuer", () => signed(logoutClaims({ iss: "https://else.example" }), provider.keys[0]!)],
  ["an expired token", () => signed(logoutClaims({ exp: seconds() - 60 }), provider.keys[0]!)],
  ["an old token", () => signed(logoutClaims({ iat: seconds() - 3600 }), provider.keys[0]!)],
  ["a token of the future", () => signed(logoutClaims({ iat: seconds() + 3600 }), provider.keys[0]!)],
  ["a token without an end", () => signed(logoutClaims({ exp: undefined }), provider.keys[0]!)],
  ["a token with a nonce", () => signed(logoutClaims({ nonce: "n" }), provider.keys[0]!)],
  ["a token without the event", () => signed(logoutClaims({ events: {} }), provider.keys[0]!)],
  ["an ID token", () => signed({ ...honest(provider.issuer, "n"), ...ana }, provider.keys[0]!)],
  ["a token of nobody", () => signed(logoutClaims({ sub: undefined }), provider.keys[0]!)]
]

it.each(attacks)("%s ends no session", async (_, tokenOf) => {
  const visitor = await loggedIn(ana)
  expect(await logout(await tokenOf())).toEqual([400, "no-store"])
  expect(await isLoggedIn(visitor)).toBe(true)
})
