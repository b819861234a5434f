/** Making tokens of other users needs the permission `users.grant_token`. */
import { Effect } from "effect"
import { Denied } from "./Denied.ts"
import { mayGrant } from "./Permission.ts"
import type { Principal } from "./Principal.ts"

/**
 * Fails with `Denied` if a body names another user as a token's owner. Checked before any lookup, so that the answer
 * does not reveal whether that user exists.
 */
export const refuseGrant = Effect.fnUntraced(function* (principal: Principal, body: unknown) {
  if (principal.user === undefined || mayGrant(principal)) return
  const { id, username } = principal.user
  const isSelf = (named: unknown): boolean => {
    if (typeof named !== "object" || named === null) return String(named) === String(id)
    if ("id" in named) return named.id === id || named.id === String(id)
    return "username" in named && named.username === username
  }
  const items: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  const others = items.some(
    (item) => typeof item === "object" && item !== null && "user" in item && item.user !== null && !isSelf(item.user)
  )
  if (others) return yield* new Denied({ reason: "NotGranted" })
})
