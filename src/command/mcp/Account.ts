/** The service that a command sends requests to, and whose rights count: RACKWIRE_URL and RACKWIRE_TOKEN. */
import { Effect, Redacted } from "effect"
import { optional, secret, setting, webAddress } from "../../Setting.ts"
import type { Account } from "./Rest.ts"

export const account = Effect.gen(function* () {
  const url = setting("RACKWIRE_URL", webAddress, "http://127.0.0.1:8000", "")
  const token = yield* optional("RACKWIRE_TOKEN", secret, "").value
  return { url: yield* url.value, token: token && Redacted.value(token) } satisfies Account
})
