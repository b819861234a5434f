/** The way in for a user who was made inactive, by hand or because its account in the directory ended. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Clearance } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { update } from "../../inventory/write/Write.ts"

/** Makes the user active. Returns whether there is one of this name. */
export const unlockUser = Effect.fnUntraced(function* (username: string) {
  const sql = yield* SqlClient.SqlClient
  const [user] = yield* sql<{ readonly id: string }>`select id::text as id from users_user where username = ${username}`
  if (user === undefined) return false
  const author = { username: "rackwire users unlock", requestId: randomUUID() }
  yield* update(objectType("users.user"), [{ id: Number(user.id), body: { is_active: true } }], false, author).pipe(
    Effect.provideService(Clearance, Clearance.all)
  )
  return true
})
