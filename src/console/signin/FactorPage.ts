/** The page of the second factor with the factors that the user has. */
import { Effect } from "effect"
import { factorsOf } from "../../auth/factor/Factors.ts"
import { relyingPartyAt } from "../../auth/factor/passkey/Ceremony.ts"
import { requestOwnProof } from "../../auth/factor/passkey/Passkeys.ts"
import type { UserRow } from "../../auth/Principal.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type FactorStep, factorForm } from "./FactorForm.ts"

/** Returns the page for a user; `token` is the cookie that the browser has for forms. */
export const factorPage = Effect.fnUntraced(function* (
  { base }: Pick<Request, "base">,
  { id }: UserRow,
  token: string,
  step: Omit<FactorStep, "hasApp" | "passkey">
) {
  const { totp, passkeys } = yield* factorsOf(id)
  const passkey = yield* requestOwnProof(relyingPartyAt(base), id, passkeys, token)
  return factorForm(token, { ...step, hasApp: totp !== null, passkey })
})
