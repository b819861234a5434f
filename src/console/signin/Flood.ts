/** The limit of sign-ins that name no user before they are checked: by a provider, and by a passkey alone. */
import { Effect } from "effect"
import { refuseFlood } from "../../auth/audit/SignInRows.ts"
import { addressOf } from "../../http/Admission.ts"
import { throttled } from "../../http/wire/RateLimit.ts"
import type { Request } from "../../http/wire/Request.ts"

/** Fails with 429 for a network of which too many sign-ins were refused: an attempt costs statements, or requests to a provider. */
export const limitFlood = ({ incoming }: Pick<Request, "incoming">) =>
  refuseFlood(addressOf(incoming)).pipe(Effect.catchTag("TooManyAttempts", ({ seconds }) => throttled(seconds)))
