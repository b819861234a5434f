/** `/user/factors/recovery/`: makes ten recovery codes in place of the earlier ones, and shows them once. */
import { Effect } from "effect"
import { auditFactor } from "../../auth/Audit.ts"
import { renewRecoveryCodes } from "../../auth/factor/Factors.ts"
import { username } from "../../auth/Principal.ts"
import { addressOf } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { localUser } from "./LocalUser.ts"
import { recoverySheet } from "./RecoverySheet.ts"

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { principal, incoming } = request
    const found = localUser(request)
    if ("status" in found) return found
    const codes = yield* renewRecoveryCodes(found.user.id)
    if (codes.length === 0) return redirect("/user/factors/")
    yield* auditFactor("made recovery codes", username(principal), addressOf(incoming))
    return recoverySheet(codes)
  })

export default { path: "/user/factors/recovery/", access: "credentials", methods: { POST: submit } } satisfies Route
