/** What a principal may do. A superuser may do everything; others only read what is exempt from permission. */
import { Effect } from "effect"
import { Settings } from "../Config.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { Denied } from "./Denied.ts"
import type { Principal } from "./Principal.ts"

export type Action = "view" | "add" | "change" | "delete"

/** Types that `EXEMPT_VIEW_PERMISSIONS=*` does not open; they must be named. */
const guarded = new Set(["users.user", "users.token", "extras.webhook"])

export const authorize = Effect.fnUntraced(function* (principal: Principal, action: Action, type: ObjectType) {
  const { exemptViewPermissions: exempt } = yield* Settings
  const open = exempt.includes(type.id) || (exempt.includes("*") && !guarded.has(type.id))
  if (action === "view" && open) return
  if (principal.user === undefined) return yield* new Denied({ reason: "NoCredentials" })
  if (action !== "view" && !principal.mayWrite) return yield* new Denied({ reason: "NoPermission" })
  if (principal.user["is_superuser"] !== true) return yield* new Denied({ reason: "NoPermission" })
})
