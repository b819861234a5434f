/** Attacks on a sign-in by OpenID Connect: each is refused in words, and makes neither a user nor a session. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { type Browser, openBrowser } from "../Browser.ts"
import { makeUser } from "../Users.ts"
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
import { fewOf } from "../../support/Seed.ts"

type Claims = Readonly<Record<string, unknown>>

let provider: HostileProvider
let other: HostileProvider
let api: Api

beforeAll(async () => {
  ;[provider, other] = await Promise.all([startHostileProvider(), startHostileProvider()])
  api = await startApiAlone({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: "rackwire",
    OIDC_GROUPS_CLAIM: "groups",
    OIDC_OTHER_ISSUER: other.issuer,
    OIDC_OTHER_CLIENT_ID: "rackwire"
  })
  await makeUser(api, "local")
})

afterAll(async () => {
  await api.stop()
  await Promise.all([provider.stop(), other.stop()])
})

beforeEach(async () => {
  await api.database.sql.query("delete from users_user where username not in ('admin', 'local')")
})

interface Journey {
  readonly visitor: Browser
  readonly state: string
  readonly nonce: string
}

/** The visitor, on the page of the provider. */
const begun = async (path = "/login/oidc/"): Promise<Journey> => {
  const visitor = openBrowser(api.service.url)
  const { searchParams } = new URL((await visitor.fetch(path)).headers.get("location")!)
  expect(searchParams.get("code_challenge_method")).toBe("S256")
  return { visitor, state: searchParams.get("state")!, nonce: searchParams.get("nonce")! }
}

/** The query with which the provider leads back. */
const answerOf = ({ state }: Pick<Journey, "state">, rest: Readonly<Record<string, string>> = {}): string =>
  new URLSearchParams({ code: "a code", state, iss: provider.issuer, ...rest }).toString()

const returned = ({ visitor }: Journey, query: string, path = "/login/oidc/callback/") =>
  visitor.fetch(`${path}?${query}`)

/** Everybody who exists, and the number of sessions of others than the administrator. */
const world = async () => {
  const users = await api.database.sql.query<{ readonly username: string }>(
    "select username from users_user order by username"
  )
  const [sessions] = await api.database.sql.query("select count(*)::int as count from rackwire_session")
  return [users.map(({ username }) => username), sessions]
}

/** A sign-in in which the provider gives this ID token. */
const given = async (tokenOf: (claims: Claims) => string | Promise<string>): Promise<Response> => {
  const journey = await begun()
  provider.token = giving(await tokenOf(honest(provider.issuer, journey.nonce)))
  return returned(journey, answerOf(journey))
}

const expectRefused = async (answer: Response, words: string, status = 403) => {
  const text = await answer.text()
  expect([answer.status, text]).toEqual([status, expect.stringContaining(words)])
  expect(text).toMatch(/Reference <span class="mono">[0-9a-f-]{36}/)
  expect(answer.headers.getSetCookie().filter((line) => line.startsWith("sessionid="))).toEqual([])
  const [, reference] = /Reference <span class="mono">([0-9a-f-]{36})/.exec(text)!
  expect(api.service.output()).toContain(reference)
}

const invalid = "is not valid, so it was refused"
const seconds = () => Math.floor(Date.now() / 1000)
const withClaims = (rest: Claims) => (claims: Claims) => signed({ ...claims, ...rest }, provider.keys[0]!)

const attacks: ReadonlyArray<
  readonly [title: string, tokenOf: (claims: Claims) => string | Promise<string>, words: string]
> = [
  ["not signed (alg none)", unsigned, invalid],
  ["signed by HMAC with the public key", (claims) => signedByPublicKey(claims, provider.keys[0]!), invalid],
  ["signed by another key", async (claims) => signed(claims, await newKeys("one")), invalid],
  ["signed by an unknown key", async (claims) => signed(claims, await newKeys("x"), { kid: "x" }), invalid],
  ["changed after it was signed", async (claims) => changed(await signed(claims, provider.keys[0]!)), invalid],
  ["no token", () => "not.a.token", invalid],
  ["expired", withClaims({ exp: seconds() - 60 }), invalid],
  ["not valid yet", withClaims({ nbf: seconds() + 3600 }), invalid],
  ["issued in the future", withClaims({ iat: seconds() + 3600, exp: seconds() + 7200 }), "issued in the future"],
  ["for another client", withClaims({ aud: "another" }), invalid],
  ["for several clients, of another one", withClaims({ aud: ["rackwire", "another"], azp: "another" }), invalid],
  ["of another issuer", withClaims({ iss: "https://elsewhere.example" }), invalid],
  ["of another sign-in (nonce)", withClaims({ nonce: "another" }), invalid],
  ["without a nonce", withClaims({ nonce: undefined }), invalid],
  ["without a subject", withClaims({ sub: undefined }), invalid],
  ["with a subject beyond ASCII", withClaims({ sub: "\u00e9ve" }), "its subject must have"],
  ["with a number as its subject", withClaims({ sub: 7 }), invalid],
  ["with a subject of line breaks", withClaims({ sub: "a\nb" }), "its subject must have"],
  ["with a subject without end", withClaims({ sub: "a".repeat(300) }), "its subject must have"],
  ["with a claim of a megabyte", withClaims({ note: "a".repeat(1024 ** 2) }), invalid],
  ["with a long name", withClaims({ preferred_username: "a".repeat(151) }), "more than 150 characters"],
  ["with a zero-width name", withClaims({ preferred_username: "ad\u200bmin" }), "invisible characters"],
  ["with a name that turns its direction", withClaims({ preferred_username: "a\u202enimd" }), "invisible characters"],
  ["with a filler in its name", withClaims({ preferred_username: "admin\u3164" }), "invisible characters"],
  ["with a NUL in its name", withClaims({ preferred_username: "admin\0" }), "cannot be stored"],
  ["with half of a character in its name", withClaims({ preferred_username: "a\ud800b" }), "cannot be stored"],
  ["with Cyrillic letters in a Latin name", withClaims({ preferred_username: "\u0430dmin" }), "resemble each other"],
  ["with groups in another form", withClaims({ groups: [{ name: "admins" }] }), "must be a list of names"],
  ["with too many groups", withClaims({ groups: Array.from({ length: 10_001 }, (_, at) => `g${at}`) }), "10000 groups"],
  ["with groups elsewhere", withClaims({ _claim_names: { groups: "src1" } }), "too many groups for its token"],
  ["with a user's name", withClaims({ preferred_username: "local" }), "belongs to another user"],
  ["with a user's name in capitals", withClaims({ preferred_username: "ADMIN" }), "belongs to another user"],
  ["with a user's name in wide letters", withClaims({ preferred_username: "ａｄｍｉｎ" }), "belongs to another user"],
  ["with a user's name behind a space", withClaims({ preferred_username: " admin " }), "belongs to another user"]
]

/** The token with another name in its claims. */
const changed = (token: string): string => {
  const [header, , signature] = token.split(".")
  const claims = JSON.stringify({ ...honest(provider.issuer, "n"), preferred_username: "admin" })
  return `${header}.${Buffer.from(claims).toString("base64url")}.${signature}`
}

describe("an ID token", () => {
  it("that is honest logs its user in", async () => {
    const answer = await given(withClaims({}))
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/"])
    expect((await world())[0]).toEqual(["admin", "local", "mallory"])
  })

  it("counts when the provider has rotated its keys a moment ago", async () => {
    await given(withClaims({}))
    const before = provider.keys
    provider.keys = [await newKeys("two")]
    const answer = await given((claims) => signed(claims, provider.keys[0]!, { kid: "two" }))
    expect(answer.status).toBe(302)
    // The key before is withdrawn.
    await expectRefused(await given((claims) => signed(claims, before[0]!)), invalid)
    provider.keys = before
  })

  it.each(fewOf(attacks, 10, "attacks"))("%s is refused", async (_, tokenOf, words) => {
    const before = await world()
    await expectRefused(await given(tokenOf), words)
    expect(await world()).toEqual(before)
  })
})

describe("a return from the provider", () => {
  const honestly = async (): Promise<Journey> => {
    const journey = await begun()
    provider.token = giving(await signed(honest(provider.issuer, journey.nonce), provider.keys[0]!))
    return journey
  }

  const expired = "The sign-in has expired, or another browser or tab began it."

  it("is refused with another state, without its cookie, and with a changed or foreign cookie", async () => {
    const before = await world()
    const [one, two] = [await honestly(), await honestly()]
    await expectRefused(await returned(one, answerOf(two)), expired)
    await expectRefused(await returned(one, answerOf({ state: "" })), expired)
    const cookie = one.visitor.cookies.get("signin")!
    for (const changedCookie of [undefined, "", "x", `${cookie.slice(0, -2)}AA`, two.visitor.cookies.get("signin")!]) {
      const thief = openBrowser(api.service.url)
      if (changedCookie !== undefined) thief.cookies.set("signin", changedCookie)
      await expectRefused(await returned({ ...one, visitor: thief }, answerOf(one)), expired)
    }
    expect(await world()).toEqual(before)
  })

  it("counts once: its repetition with the same cookie is refused", async () => {
    const journey = await honestly()
    const cookie = journey.visitor.cookies.get("signin")!
    expect((await returned(journey, answerOf(journey))).status).toBe(302)
    const before = await world()
    const thief = openBrowser(api.service.url)
    thief.cookies.set("signin", cookie)
    await expectRefused(await returned({ ...journey, visitor: thief }, answerOf(journey)), "has been used before")
    expect(await world()).toEqual(before)
  })

  it("is refused where another provider answers than the one that was chosen (mix-up)", async () => {
    const before = await world()
    const journey = await honestly()
    await expectRefused(await returned(journey, answerOf(journey), "/login/oidc/other/callback/"), expired)
    await expectRefused(await returned(journey, answerOf(journey, { iss: other.issuer })), invalid)
    const silent = await honestly()
    await expectRefused(await returned(silent, answerOf(silent).replace(/&iss=[^&]*/, "")), invalid)
    expect(await world()).toEqual(before)
  })

  it("with an error of the provider says so, and repeats only a word of it", async () => {
    const journey = await honestly()
    const query = new URLSearchParams({ error: "access_denied", state: journey.state, iss: provider.issuer })
    await expectRefused(await returned(journey, query.toString()), "declined the sign-in (access_denied)")
    const forged = await honestly()
    const script = new URLSearchParams({ error: "<script>x", state: forged.state, iss: provider.issuer })
    await expectRefused(await returned(forged, script.toString()), "declined the sign-in (error)")
  })

  it("leads to the path that was chosen, and is refused with a parameter twice", async () => {
    const journey = await begun("/login/oidc/?next=/dcim/sites/%3Fq=a")
    provider.token = giving(await signed(honest(provider.issuer, journey.nonce), provider.keys[0]!))
    const answer = await returned(journey, answerOf(journey))
    expect(answer.headers.get("location")).toBe("/dcim/sites/?q=a")
    // The page of a refusal leads on to it as well.
    const declined = await begun("/login/oidc/?next=/dcim/racks/")
    const query = { error: "access_denied", state: declined.state, iss: provider.issuer }
    const page = await returned(declined, new URLSearchParams(query).toString())
    expect(await page.text()).toContain('name="next" value="/dcim/racks/"')
    const twice = await honestly()
    await expectRefused(await returned(twice, `${answerOf(twice)}&code=another`), invalid)
  })
})

describe("a provider", () => {
  it("that redirects to a metadata service is not followed", async () => {
    const journey = await begun()
    provider.token = (response) =>
      response.writeHead(307, { location: "http://169.254.169.254/latest/meta-data/" }).end()
    await expectRefused(await returned(journey, answerOf(journey)), invalid)
  })

  it("that fails is away: the login page says so, with its status", async () => {
    const journey = await begun()
    provider.token = (response) => response.writeHead(502).end()
    await expectRefused(await returned(journey, answerOf(journey)), "does not answer", 503)
  })

  it("without a name is none", async () => {
    for (const path of ["/login/oidc/nobody/", "/login/oidc/nobody/callback/", "/login/oidc/__proto__/"])
      expect([path, (await openBrowser(api.service.url).fetch(path)).status]).toEqual([path, 404])
  })
})

/** The last answer of a whole sign-in by the provider. */
const wholeSignIn = async (hostile: HostileProvider, url: string): Promise<Response> => {
  const visitor = openBrowser(url)
  const leaving = await visitor.fetch("/login/oidc/")
  const page = URL.parse(leaving.headers.get("location") ?? "")
  if (page === null) return leaving
  const [nonce, state] = ["nonce", "state"].map((name) => page.searchParams.get(name)!)
  hostile.token = giving(await signed(honest(hostile.issuer, nonce!), hostile.keys[0]!))
  return visitor.fetch(
    `/login/oidc/callback/?${new URLSearchParams({ code: "c", state: state!, iss: hostile.issuer })}`
  )
}

describe("a discovery document", () => {
  const metadataService = "169.254.169.254 is refused by the target policy"

  const documents = [
    ["another issuer", { issuer: "https://elsewhere.example" }, 403, "not match the expected issuer"],
    ["a page that is a script", { authorization_endpoint: "javascript:alert(1)" }, 403, "has the address javascript"],
    ["keys of a metadata service", { jwks_uri: "http://169.254.169.254/keys" }, 503, metadataService],
    ["tokens of a metadata service", { token_endpoint: "http://169.254.169.254/token" }, 503, metadataService]
  ] as const
  it.each(fewOf(documents, 1, "documents"))("that names %s leads nobody there", async (_, metadata, status, why) => {
    const hostile = await startHostileProvider()
    hostile.metadata = metadata
    const single = await startApiAlone({ OIDC_ISSUER: hostile.issuer, OIDC_CLIENT_ID: "rackwire" })
    const answer = await wholeSignIn(hostile, single.service.url)
    const users = await single.database.sql.query("select username from users_user")
    const output = single.service.output()
    await single.stop()
    await hostile.stop()
    expect([answer.status, users]).toEqual([status, [{ username: "admin" }]])
    expect(output).toContain(why)
  })
})
