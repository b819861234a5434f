/** The cookies of a sign-in that is under way, and of a session: its key, which no script can read, and the CSRF token that forms send back. */
import { Duration } from "effect"
import { type Cookies, HttpServerResponse } from "effect/http"
import { stateSeconds } from "../../auth/oidc/SignInState.ts"
import { loginSeconds } from "../../auth/factor/LoginUnderWay.ts"
import { csrfToken, keptSeconds } from "../../auth/Session.ts"
import type { Origin } from "./Origin.ts"

type Served = Pick<Origin, "isSecure" | "path">

/**
 * Over TLS the prefix of the name keeps other hosts of our domain from setting the cookie. Browsers take `__Host-` for
 * the root of a host alone.
 */
const named =
  (name: string) =>
  ({ isSecure, path }: Served) =>
    isSecure ? `${path === "" ? "__Host" : "__Secure"}-${name}` : name

export const sessionCookie = named("sessionid")
export const csrfCookie = named("csrftoken")
/** The cookie of a sign-in by a provider that is under way. */
export const signInCookie = named("signin")

/** The cookie of a login that still needs the second factor. */
export const factorCookie = named("secondfactor")

/** A cookie to set; without a value, one to delete. */
export interface Cookie {
  readonly name: string
  readonly value: string | undefined
  readonly options: Cookies.Cookie["options"]
}

/** Sent with requests of our own pages; of other sites' requests only with links to us. */
const common = ({ isSecure }: Pick<Origin, "isSecure">) => ({ path: "/", sameSite: "lax", secure: isSecure }) as const

/** The two cookies of a session that lasts this long. The key stays as long as an ended session is remembered. */
export const sessionCookies = (served: Served, key: string, seconds: number): ReadonlyArray<Cookie> => [
  {
    name: sessionCookie(served),
    value: key,
    options: { ...common(served), httpOnly: true, maxAge: Duration.seconds(seconds + keptSeconds) }
  },
  formCookie(served, csrfToken(key))
]

/** The CSRF token's cookie. Scripts of our pages may read it, to send the token in a header. */
export const formCookie = (served: Served, value: string): Cookie => ({
  name: csrfCookie(served),
  value,
  options: common(served)
})

/** It returns with the browser from the provider: `Lax` lets it, because that is a link. */
export const signInUnderWay = (served: Served, sealed: string): Cookie => ({
  name: signInCookie(served),
  value: sealed,
  options: { ...common(served), httpOnly: true, maxAge: Duration.seconds(stateSeconds) }
})

export const loginUnderWayCookie = (served: Served, ticket: string): Cookie => ({
  name: factorCookie(served),
  value: ticket,
  options: { ...common(served), httpOnly: true, maxAge: Duration.seconds(loginSeconds) }
})

export const forgottenLogin = (served: Served): Cookie => ({
  name: factorCookie(served),
  value: undefined,
  options: common(served)
})

export const forgottenSignIn = (served: Served): Cookie => ({
  name: signInCookie(served),
  value: undefined,
  options: common(served)
})

export const forgottenCookies = (served: Served): ReadonlyArray<Cookie> =>
  [sessionCookie(served), csrfCookie(served)].map((name) => ({ name, value: undefined, options: common(served) }))

export const withCookies = (
  response: HttpServerResponse.HttpServerResponse,
  cookies: ReadonlyArray<Cookie>
): HttpServerResponse.HttpServerResponse =>
  cookies.reduce(
    (sent, { name, value, options }) =>
      value === undefined
        ? HttpServerResponse.expireCookieUnsafe(sent, name, options)
        : HttpServerResponse.setCookieUnsafe(sent, name, value, options),
    response
  )
