/** The page that requests a confirmation, with the factors that the user has. */
import { Effect } from "effect"
import { factorsOf } from "../../auth/factor/Factors.ts"
import { relyingPartyAt } from "../../auth/factor/passkey/Ceremony.ts"
import { requestOwnProof } from "../../auth/factor/passkey/Passkeys.ts"
import { ownerOf } from "../../auth/Session.ts"
import { type Confirmation, confirmForm } from "./ConfirmForm.ts"

/** Returns the page for the user of a session. Without Postgres it offers no passkey. */
export const confirmPage = Effect.fnUntraced(function* (base: string, confirmation: Omit<Confirmation, "passkey">) {
  const passkey = yield* passkeyOf(base, confirmation.session).pipe(
    Effect.catchTag("SqlError", () => Effect.succeed(undefined))
  )
  return confirmForm({ ...confirmation, passkey })
})

/** The request for a proof by a passkey; undefined for a user without any. */
const passkeyOf = Effect.fnUntraced(function* (base: string, session: string) {
  const user = yield* ownerOf(session)
  if (user === undefined) return undefined
  return yield* requestOwnProof(relyingPartyAt(base), user, (yield* factorsOf(user)).passkeys, session)
})
