/**
 * Confirmations: a session whose user gave neither a password nor a second factor in the last minutes changes no users,
 * groups, permissions, tokens, and no secrets of webhooks. Tokens of the API need none, nor do sessions that began by a
 * provider or a proxy.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Denied } from "../../auth/Denied.ts"
import type { Principal } from "../../auth/Principal.ts"
import { isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { type Route, isPage, locationCharsMax } from "../Route.ts"

/** The page that requests a confirmation. */
export const confirmPath = "/user/confirm/"

/** Whether a field of the type that is stored sealed has a value in these fields. */
const hasSecret = ({ fields }: ObjectType, given: (name: string) => unknown): boolean =>
  Object.entries(fields).some(([name, { sealed }]) => sealed === true && isFilled(given(name)))

const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

/** The page or endpoint refuses a write until its session is confirmed. `form` has the fields of a form, if there is one. */
export const requireConfirmation = Effect.fnUntraced(function* (
  incoming: HttpServerRequest.HttpServerRequest,
  route: Route,
  principal: Principal,
  form: URLSearchParams | undefined
) {
  if (principal.mustConfirm !== true || typeof route.access !== "object") return
  const isCritical =
    route.access.kind === "account" ||
    route.changesSecrets === true ||
    (form !== undefined && hasSecret(route.access, (name) => form.get(name)))
  if (!isCritical) return
  if (!isPage(route)) return yield* new Denied({ reason: "ConfirmFirst" })
  const location = `${confirmPath}?${new URLSearchParams({ next: pageOf(incoming, route) })}`
  const isShort = location.length <= locationCharsMax
  const headers = { location: isShort ? location : confirmPath }
  return yield* new HttpRefused({ reason: "LoginFirst", body: {}, headers })
})

/** The page that the browser is led back to: that of the form, or the one that sent it where the address shows none. */
const pageOf = ({ url, headers }: HttpServerRequest.HttpServerRequest, { methods }: Route): string => {
  const { referer = "" } = headers
  if (methods.GET !== undefined || !URL.canParse(referer)) return url
  const { pathname, search } = new URL(referer)
  return pathname + search
}

/** Fails with `Denied` if a body of JSON has secrets, and its session is not confirmed. */
export const refuseSecrets = Effect.fnUntraced(function* (type: ObjectType, body: unknown) {
  const items: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  const found = items.some((item) => isDictionary(item) && hasSecret(type, (name) => item[name]))
  if (found) return yield* new Denied({ reason: "ConfirmFirst" })
})
