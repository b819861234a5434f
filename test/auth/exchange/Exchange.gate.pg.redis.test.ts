/** Exchange of an issuer's token for one of a user here, and tokens that no honest issuer gives. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../../support/Api.ts"
import {
  type HostileProvider,
  honest,
  newKeys,
  signed,
  signedByPublicKey,
  startHostileProvider,
  unsigned
} from "../oidc/HostileProvider.ts"
import { makeUser } from "../Users.ts"
import { thorough } from "../../support/Seed.ts"

let issuer: HostileProvider
let other: HostileProvider
let api: Api

beforeAll(async () => {
  issuer = await startHostileProvider()
  other = await startHostileProvider()
  const rule = { audience: "rackwire", subject: "repo:acme/*" }
  api = await startApiAlone({
    TOKEN_EXCHANGE: JSON.stringify([
      { ...rule, issuer: issuer.issuer, user: "ci" },
      { ...rule, issuer: issuer.issuer, subject: "repo:ops/*", user: "deployer", write: true, minutes: 5 },
      { ...rule, issuer: issuer.issuer, subject: "repo:former/*", user: "nobody" },
      { ...rule, issuer: "http://127.0.0.1:9", user: "ci" }
    ]),
    LOGIN_ATTEMPTS_PER_ADDRESS: "1000"
  })
  for (const name of ["ci", "deployer"]) {
    await makeUser(api, name, { types: ["dcim.site"], actions: ["view", "add"] })
  }
})

afterAll(async () => {
  await api?.stop()
  await issuer?.stop()
  await other?.stop()
})

const claims = (change: object = {}) => ({ ...honest(issuer.issuer, "n"), sub: "repo:acme/net:main", ...change })
const grant = "urn:ietf:params:oauth:grant-type:token-exchange"

const exchange = async (token: string, change: Readonly<Record<string, string>> = {}) => {
  const body = new URLSearchParams({
    ...{ grant_type: grant, subject_token: token, subject_token_type: "urn:ietf:params:oauth:token-type:jwt" },
    ...change
  })
  const answer = await fetch(`${api.service.url}/api/users/tokens/exchange/`, { method: "POST", body })
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, unknown>> }
}
const key = () => issuer.keys[0]!
const site = (name: string) => ({ name, slug: name })
const tokensOf = async (name: string) =>
  (await api.call<{ readonly count: number }>("GET", `/api/users/tokens/?user=${name}`)).json.count

describe("a token of a trusted issuer", () => {
  it("is exchanged for one of the user of its rule, which reads alone if the rule does not say otherwise", async () => {
    const { status, json } = await exchange(await signed(claims(), key()))
    expect([status, json]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^[0-9a-f]{40}$/),
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
        expires_in: 900,
        scope: "read"
      }
    ])
    const made = String(json["access_token"])
    expect((await api.raw("GET", "/api/dcim/sites/", undefined, made)).status).toBe(200)
    expect((await api.raw("POST", "/api/dcim/sites/", site("a"), made)).status).toBe(403)
  })

  it("is exchanged for one that writes by another rule, also as JSON", async () => {
    const body = {
      ...{ grant_type: grant, subject_token: await signed(claims({ sub: "repo:ops/deploy" }), key()) },
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token"
    }
    const { json } = await api.raw("POST", "/api/users/tokens/exchange/", body)
    const made = String((json as Readonly<Record<string, unknown>>)["access_token"])
    expect((await api.raw("POST", "/api/dcim/sites/", site("b"), made)).status).toBe(201)
    const [shown] = (
      await api.call<{ readonly results: ReadonlyArray<object> }>("GET", "/api/users/tokens/?q=repo:ops/deploy")
    ).json.results
    expect(shown).toMatchObject({ user: { username: "deployer" }, description: "For repo:ops/deploy" })
  })

  it("replaces the expired tokens that were given before", async () => {
    const before = await tokensOf("ci")
    await exchange(await signed(claims(), key()))
    expect(await tokensOf("ci")).toBe(before + 1)
    await api.database.sql.query(
      "update users_token set expires = now() - interval '1 minute' where description like 'For repo:acme%'"
    )
    await exchange(await signed(claims(), key()))
    // The one that was made by hand, and the new one.
    expect(await tokensOf("ci")).toBe(2)
  })

  it("counts no more once its user is inactive", async () => {
    const token = await signed(claims(), key())
    await api.database.sql.query("update users_user set is_active = false where username = 'ci'")
    expect((await exchange(token)).status).toBe(400)
    await api.database.sql.query("update users_user set is_active = true where username = 'ci'")
    expect((await exchange(token)).status).toBe(200)
  })
})

describe("the exchange refuses", () => {
  const now = Math.floor(Date.now() / 1000)

  it.each<[string, () => Promise<string> | string]>([
    ["a foreign audience", () => signed(claims({ aud: "other" }), key())],
    ["no audience", () => signed(claims({ aud: undefined }), key())],
    ["another subject", () => signed(claims({ sub: "repo:evil/net" }), key())],
    ["an expired token", () => signed(claims({ exp: now - 60 }), key())],
    ["a token without an end", () => signed(claims({ exp: undefined }), key())],
    ["a token that is not valid yet", () => signed(claims({ nbf: now + 300 }), key())],
    ["a token that is not signed", () => unsigned(claims())],
    ["HMAC with the public key", () => signedByPublicKey(claims(), key())],
    ["another key", async () => signed(claims(), await newKeys("one"))],
    ["an issuer that is not trusted", () => signed({ ...claims(), iss: other.issuer }, other.keys[0]!)],
    ["the issuer's name by another one's key", () => signed(claims(), other.keys[0]!)],
    ["a rule whose user does not exist", () => signed(claims({ sub: "repo:former/a" }), key())],
    ["no token at all", () => "a.b.c"],
    ["a token of 20,000 characters", () => signed(claims({ pad: "x".repeat(20_000) }), key())]
  ])("%s, in the same words", async (_, token) => {
    expect(await exchange(await token())).toEqual({
      status: 400,
      json: { error: "invalid_request", error_description: "The subject token is not valid, or no rule admits it." }
    })
    expect(other.requests).toEqual([])
  })

  it("another grant, another kind of token, and no token, by name", async () => {
    const token = await signed(claims(), key())
    expect((await exchange(token, { grant_type: "password" })).json["error"]).toBe("unsupported_grant_type")
    expect((await exchange(token, { subject_token_type: "saml2" })).json["error_description"]).toContain(
      "subject_token_type must be"
    )
    expect((await exchange("")).json["error_description"]).toBe("The subject_token is missing.")
  })

  it("a body of more than 32 KiB, as a form and as JSON", async () => {
    expect((await exchange("x".repeat(40_000))).status).toBe(413)
    const body = { grant_type: grant, subject_token: "x".repeat(40_000) }
    expect((await api.raw("POST", "/api/users/tokens/exchange/", body)).status).toBe(413)
  })

  it("while the issuer is away, with 503", async () => {
    const { status, json } = await exchange(await signed({ ...claims(), iss: "http://127.0.0.1:9" }, key()))
    expect([status, json["error"]]).toEqual([503, "temporarily_unavailable"])
  })
})

thorough("the exchange is off without rules, and the service does not start with a fault in them", async () => {
  await expect(startApiAlone({ TOKEN_EXCHANGE: '[{"issuer": "http://a"}]' })).rejects.toThrow("TOKEN_EXCHANGE: rule 1")
  const off = await startApiAlone({ LOGIN_ATTEMPTS_PER_ADDRESS: "2" })
  const answer = await off.raw("POST", "/api/users/tokens/exchange/", {})
  expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ error: "unsupported_grant_type" })])
  await off.stop()
})

it("failures from one address are limited", async () => {
  const limited = await startApiAlone({
    LOGIN_ATTEMPTS_PER_ADDRESS: "2",
    TOKEN_EXCHANGE: JSON.stringify([{ issuer: issuer.issuer, audience: "rackwire", subject: "a", user: "admin" }])
  })
  const body = { grant_type: grant, subject_token: "a.b.c", subject_token_type: "urn:ietf:params:oauth:token-type:jwt" }
  const tried = async () => (await limited.raw("POST", "/api/users/tokens/exchange/", body)).status
  expect([await tried(), await tried(), await tried()]).toEqual([400, 400, 429])
  await limited.stop()
})
