/**
 * Every failure of authentication, on the routes of the service. The routes are those that the service serves: a new
 * route that does not authenticate fails here, unless it is named below.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { routes } from "../../src/Service.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { makeUser } from "./Users.ts"
import { isThorough, sampleOf } from "../support/Seed.ts"

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
const safe = new Set(["GET", "HEAD", "OPTIONS"])

/** Whoever comes here is not asked who it is. */
const unasked = new Set([
  ...["/metrics", "/health/", "/health/live", "/health/ready", "/static/start.js"],
  // Providers bring a logout token: test/auth/oidc/BackchannelLogout.
  ...["/login/oidc/backchannel/", "/login/oidc/1/backchannel/"]
])

/** Here one says who one is. */
const entrances = new Set([
  ...["/api/users/tokens/provision/", "/api/users/tokens/exchange/", "/login/", "/logout/", "/user/password/"],
  ...["/login/factor/", "/login/passkey/", "/user/confirm/", "/user/factors/app/", "/user/factors/recovery/"],
  ...["/user/factors/passkeys/", "/user/factors/passkeys/remove/"],
  ...["/login/oidc/", "/login/oidc/callback/", "/login/oidc/1/", "/login/oidc/1/callback/"]
])

/** Open to anybody: what the service is like, and nothing of what it holds. */
const open = [
  "/",
  "/api/",
  "/api/status/",
  ...new Set([...registry.values()].map(({ app }) => `/api/${app}/`)),
  "/api/core/",
  "/api/wireless/",
  "/api/plugins/",
  "/api/plugins/prometheus-sd/",
  /^\/api\/extras\/content-types\//,
  /^\/api\/(schema|docs)\//,
  "/help/templates/",
  "/help/keys/",
  /^\/help\/builders\//,
  // These show what the sender may see.
  "/search/",
  "/help/object-types/pick/",
  "/gauges/"
]

/** Pages of the sender's own account: without one they lead to the login. */
const own = new Set(["/user/", "/user/preferences/", "/user/sessions/", "/user/factors/"])

/** Endpoints of the API that want a user, or staff, and no permission: test/http/UserConfig and Roots. */
const wantUser = new Set(["/api/users/config/", "/api/plugins/installed-plugins/"])

const isOpen = (path: string) => open.some((each) => (typeof each === "string" ? each === path : each.test(path)))

export interface Endpoint {
  readonly path: string
  readonly type: ObjectType | undefined
}

const endpoints: ReadonlyArray<Endpoint> = routes.map(({ path, access }) => ({
  path: path.replaceAll(":file", "start.js").replaceAll(/:\w+/g, "1"),
  type: typeof access === "string" ? undefined : access
}))
const asking = endpoints.filter(({ path }) => !unasked.has(path))
const guarded = asking.filter(
  ({ path }) => !entrances.has(path) && !own.has(path) && !wantUser.has(path) && !isOpen(path)
)

interface Extent {
  /** The methods that each failure is tried with. */
  readonly methods: ReadonlyArray<string>
  /** The endpoints that each failure is tried at. */
  readonly pick: (endpoints: ReadonlyArray<Endpoint>) => ReadonlyArray<Endpoint>
  /** The methods that are sent without credentials to every endpoint. */
  readonly anonymous: ReadonlyArray<string>
}

/** Declares the tests. */
export const expectRefusals = ({ pick, methods, anonymous }: Extent): void => {
  const picked = { asking: pick(asking), guarded: pick(guarded) }

  let api: Api
  let readOnly: string
  let nobody: string

  let expired: string
  let inactive: string
  let elsewhere: string
  /** Token of somebody who left, expired, for another network: the first failure in NetBox's order is reported. */
  let everything: string

  beforeAll(async () => {
    api = await startApiAlone({ LOG_LEVEL: "Error" })
    readOnly = await api.newToken({ write_enabled: false })
    nobody = (await makeUser(api, "nobody much")).token
    const { id: user } = await makeUser(api, "left")
    const expires = "2020-01-01T00:00:00Z"
    const allowed_ips = ["192.0.2.0/24", "2001:db8::/32"]
    expired = await api.newToken({ expires, allowed_ips })
    inactive = await api.newToken({ user, allowed_ips })
    elsewhere = await api.newToken({ allowed_ips })
    everything = await api.newToken({ user, expires, allowed_ips })
    await api.call("PATCH", `/api/users/users/${user}/`, { is_active: false })
  })

  /** Headers, and what is answered to them wherever anybody is asked at all. */
  const failures: ReadonlyArray<readonly [detail: string, header: () => string]> = [
    ["Invalid token header. No credentials provided.", () => "Token"],
    ["Invalid token header. Token string should not contain spaces.", () => "Token a b"],
    ["Invalid token header. Token string should not contain invalid characters.", () => "Token \u00e9"],
    ["Invalid token", () => `Token ${"0".repeat(40)}`],
    ["Token expired", () => `Token ${expired}`],
    ["Token expired", () => `token  ${everything}`],
    ["User inactive", () => `Token ${inactive}`],
    ["Source IP 127.0.0.1 is not permitted to authenticate using this token.", () => `TOKEN ${elsewhere}`]
  ]

  afterAll(() => api.stop())

  /** Sends requests with a header to every endpoint; returns the answers that are not as expected. */
  const unexpected = async (
    to: ReadonlyArray<Endpoint>,
    authorization: string,
    expected: (endpoint: Endpoint, method: string) => string | undefined,
    sent: ReadonlyArray<string> = methods
  ): Promise<ReadonlyArray<string>> => {
    const wrong: Array<string> = []
    const questions = to.flatMap((endpoint) => sent.map((method) => ({ endpoint, method })))
    const ask = async () => {
      for (let next = questions.pop(); next !== undefined; next = questions.pop()) {
        const { endpoint, method } = next
        const detail = expected(endpoint, method)
        const response = await fetch(api.service.url + endpoint.path, {
          method,
          redirect: "manual",
          ...(authorization !== "" && { headers: { authorization } })
        })
        const text = await response.text()
        const right =
          detail === undefined
            ? response.status !== 403 && response.status < 500
            : response.status === 403 && (method === "HEAD" || text === JSON.stringify({ detail }))
        if (!right) wrong.push(`${method} ${endpoint.path}: ${response.status} ${text.slice(0, 100)}`)
      }
    }
    await Promise.all(Array.from({ length: 8 }, ask))
    return wrong
  }

  const noPermission = "You do not have permission to perform this action."

  describe("every endpoint", () => {
    it("belongs to an object type, or is named in this file", () => {
      expect(guarded.filter(({ type }) => type === undefined)).toEqual([])
      expect(guarded.length).toBeGreaterThan(20)
    })

    it.each(sampleOf(failures, 1, "failures"))("answers %s to a wrong header", async (detail, header) => {
      expect(await unexpected(picked.asking, header(), () => detail)).toEqual([])
    })

    it("offers no challenge, and ignores credentials that are not a token", async () => {
      for (const authorization of ["Token", "Basic YWRtaW46YWRtaW4=", "0".repeat(40), "TokenToken x"]) {
        const response = await fetch(`${api.service.url}/api/dcim/sites/`, { headers: { authorization } })
        expect([response.status, response.headers.get("www-authenticate")]).toEqual([403, null])
      }
    })

    it.each(isThorough ? ["", "Basic x"] : [""])(
      "of an object type refuses who brings no credentials, as %j; what it is like anybody may ask",
      async (header) => {
        const detail = "Authentication credentials were not provided."
        const wrong = await unexpected(
          guarded,
          header,
          (_, method) => (method === "OPTIONS" ? undefined : detail),
          anonymous
        )
        expect(wrong).toEqual([])
      }
    )

    it("refuses to write with a read-only token", async () => {
      const wrong = await unexpected(picked.guarded, `Token ${readOnly}`, (_, method) =>
        safe.has(method) ? undefined : noPermission
      )
      expect(wrong).toEqual([])
    })

    it.each([...own])(
      "of the own account, %s, asks who reads it, and takes no write of a read-only token",
      async (path) => {
        const send = (method: string, token?: string) =>
          fetch(api.service.url + path, {
            ...{ method, redirect: "manual" },
            ...(token !== undefined && { headers: { authorization: `Token ${token}` } })
          })
        const read = await send("GET")
        expect([read.status, read.headers.get("location")]).toEqual([
          302,
          `/login/?${new URLSearchParams({ next: path })}`
        ])
        expect((await send("GET", readOnly)).status).toBe(200)
        const isWritten = routes.some((route) => route.path === path && route.methods.POST !== undefined)
        const refused = isWritten ? 403 : 405
        expect([(await send("POST")).status, (await send("POST", readOnly)).status]).toEqual([refused, refused])
      }
    )

    it("refuses a user without permission, except for the own tokens and account", async () => {
      // Pages of accounts ask for rights of their own: test/console/Administration.browser.test.ts.
      const others = picked.guarded.filter(({ path }) => !path.startsWith("/users/users/"))
      const wrong = await unexpected(others, `Token ${nobody}`, ({ type }, method) => {
        if (method === "OPTIONS" || type!.id === "users.token") return undefined
        return type!.id === "users.user" && safe.has(method) ? undefined : noPermission
      })
      expect(wrong).toEqual([])
    })
  })
}
