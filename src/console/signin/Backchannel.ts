/** `/login/oidc/backchannel/`: a provider reports that a session of a user has ended (Back-Channel Logout 1.0). */
import { Effect } from "effect"
import { auditProviderLogout, auditSignInRefused } from "../../auth/Audit.ts"
import { endSessionsOf } from "../../auth/oidc/ProviderSession.ts"
import { addressOf } from "../../http/Admission.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { limitFlood } from "./Flood.ts"
import { providerOf } from "./Oidc.ts"

const receive: Handler = (request) =>
  Effect.gen(function* () {
    const { options, endedBy } = yield* providerOf(request)
    yield* limitFlood(request)
    const by = { way: options.source, issuer: options.issuer }
    const address = addressOf(request.incoming)
    const form = yield* readForm(request.incoming)
    return yield* endedBy(form.get("logout_token") ?? "").pipe(
      Effect.flatMap(endSessionsOf),
      Effect.tap((ended) => auditProviderLogout(by, ended, address)),
      Effect.as({ status: 200, headers: { "cache-control": "no-store" } }),
      Effect.catchTag("SignInRefused", ({ reason, cause = "" }) =>
        Effect.as(auditSignInRefused(by, { reason, cause }, address), {
          status: 400,
          json: { error: "invalid_request", error_description: "The logout token is not valid." },
          headers: { "cache-control": "no-store" }
        })
      )
    )
  })

// The token is the credential: the provider has no session and no CSRF token.
export default [
  { path: "/login/oidc/backchannel/", access: "unasked", methods: { POST: receive } },
  { path: "/login/oidc/:name/backchannel/", access: "unasked", methods: { POST: receive } }
] satisfies ReadonlyArray<Route>
