/** The cookies of people who log in: the session's key, which no script sees, and the token that forms send back. */
import { Duration } from "effect"
import { type Cookies, HttpServerResponse } from "effect/http"
import { csrfToken } from "../../auth/Session.ts"
import type { Origin } from "./Origin.ts"

type Served = Pick<Origin, "isSecure">

/** Over TLS the name keeps other hosts of our domain from setting it. */
const named =
  (name: string) =>
  ({ isSecure }: Served) =>
    isSecure ? `__Host-${name}` : name

export const sessionCookie = named("sessionid")
export const csrfCookie = named("csrftoken")

/** A cookie to set; without a value one to forget. */
export interface Cookie {
  readonly name: string
  readonly value: string | undefined
  readonly options: Cookies.Cookie["options"]
}

/** For all our pages and no other site's requests, but for links to us. */
const common = ({ isSecure }: Served) => ({ path: "/", sameSite: "lax", secure: isSecure }) as const

/** The two of a session that lasts so many seconds. */
export const sessionCookies = (served: Served, key: string, seconds: number): ReadonlyArray<Cookie> => [
  {
    name: sessionCookie(served),
    value: key,
    options: { ...common(served), httpOnly: true, maxAge: Duration.seconds(seconds) }
  },
  formCookie(served, csrfToken(key))
]

/** That of a form; scripts of our pages may read it, to send it in a header. */
export const formCookie = (served: Served, value: string): Cookie => ({
  name: csrfCookie(served),
  value,
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
