/** Objects that act for another user, tokens, need the permission `grant` on their type. */
import { Effect } from "effect"
import { Denied } from "./Denied.ts"
import { mayGrant } from "./Permission.ts"
import { isDictionary } from "../inventory/Field.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import type { Principal } from "./Principal.ts"

/**
 * Fails with `Denied` if a body names another user in the type's field `owner`. Checked before any lookup, so that the
 * answer does not reveal whether that user exists.
 */
export const refuseGrant = Effect.fnUntraced(function* (principal: Principal, { owner }: ObjectType, body: unknown) {
  if (owner === undefined || principal.user === undefined || mayGrant(principal)) return
  const { id, username } = principal.user
  const isSelf = (named: unknown): boolean => {
    if (typeof named !== "object" || named === null) return String(named) === String(id)
    if ("id" in named) return named.id === id || named.id === String(id)
    return "username" in named && named.username === username
  }
  const items: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  const others = items.some((item) => {
    const named = isDictionary(item) ? (item[owner] ?? null) : null
    return named !== null && !isSelf(named)
  })
  if (others) return yield* new Denied({ reason: "NotGranted" })
})
