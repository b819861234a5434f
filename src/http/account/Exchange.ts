/** `POST /api/users/tokens/exchange/`: gives a token of a user here for one of a trusted issuer (RFC 8693). */
import { ByteSize, Effect } from "effect"
import { Attempts } from "../../auth/Attempts.ts"
import { auditExchange, auditSignInRefused, exchangeWay } from "../../auth/Audit.ts"
import { giveToken } from "../../auth/exchange/ExchangedTokens.ts"
import { TokenExchange } from "../../auth/exchange/TokenExchange.ts"
import { textsIn } from "../../inventory/Field.ts"
import { addressOf } from "../Admission.ts"
import { declaring } from "../declare/Endpoint.ts"
import { integer, optional, record, string } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { isForm, readFormOf } from "../wire/Body.ts"
import { throttled } from "../wire/RateLimit.ts"
import type { Request } from "../wire/Request.ts"
import { bodyFields } from "../webhooks/ActionRequest.ts"

/** Anybody may send a body here; none has more than a token and some names. */
const bodyMax = ByteSize.kibibytes(32)

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
const accessToken = "urn:ietf:params:oauth:token-type:access_token"
const subjectTypes: ReadonlySet<unknown> = new Set([
  "urn:ietf:params:oauth:token-type:id_token",
  "urn:ietf:params:oauth:token-type:jwt"
])

/** An error as RFC 6749 has it, section 5.2. */
const error = (code: string, description: string, status = 400) => ({
  status,
  json: { error: code, error_description: description },
  headers: { "cache-control": "no-store" }
})

/** Descriptions do not say how near a token was to being accepted. */
const refusal = error("invalid_request", "The subject token is not valid, or no rule admits it.")

const exchange = (request: Request) =>
  Effect.gen(function* () {
    const { incoming, author } = request
    const { isOn, admit } = yield* TokenExchange
    if (!isOn) return error("unsupported_grant_type", "No issuer is trusted here (TOKEN_EXCHANGE).")
    // Clients of RFC 8693 send a form, others of this API send JSON.
    const fields: Readonly<Record<string, unknown>> = isForm(incoming)
      ? Object.fromEntries(yield* readFormOf(incoming, bodyMax))
      : yield* bodyFields(request)
    const { grant_type: grant, subject_token: token, subject_token_type: kind } = fields
    if (grant !== grantType) return error("unsupported_grant_type", `The grant_type must be ${grantType}.`)
    if (typeof token !== "string" || token === "") return error("invalid_request", "The subject_token is missing.")
    if (!subjectTypes.has(kind)) {
      return error("invalid_request", `The subject_token_type must be ${[...subjectTypes].join(" or ")}.`)
    }
    const address = addressOf(incoming)
    const { guard } = yield* Attempts
    return yield* guard({ username: undefined, address }, admit(token)).pipe(
      Effect.flatMap((admitted) => Effect.map(giveToken(admitted, author), (given) => ({ ...given, ...admitted }))),
      Effect.tap(({ rule, subject, id }) => auditExchange(rule.user, id, { issuer: rule.issuer, subject }, address)),
      Effect.map(({ rule, key, seconds }) => ({
        status: 200,
        json: {
          access_token: key,
          issued_token_type: accessToken,
          token_type: "Bearer",
          expires_in: seconds,
          scope: rule.write ? "write" : "read"
        },
        headers: { "cache-control": "no-store" }
      })),
      Effect.catchTags({
        TooManyAttempts: ({ seconds }) => throttled(seconds),
        SignInRefused: (refused) =>
          Effect.as(
            auditSignInRefused(exchangeWay, refused, address),
            refused.reason === "ProviderAway" ? error("temporarily_unavailable", refused.sentence, 503) : refusal
          ),
        Denied: ({ reason }) => Effect.as(auditSignInRefused(exchangeWay, { reason }, address), refusal),
        WriteRefused: ({ errors }) =>
          Effect.succeed(
            error("invalid_request", errors.flatMap((each) => Object.values(each).flatMap(textsIn)).join(" "))
          )
      })
    )
  })

export default {
  path: "/api/users/tokens/exchange/",
  access: "credentials",
  jsonMax: bodyMax,
  methods: {
    POST: declaring(
      {
        summary: "Exchange a token of a trusted issuer for one of a user here (RFC 8693)",
        body: record({
          grant_type: string,
          subject_token: string,
          subject_token_type: string,
          audience: optional(string),
          scope: optional(string)
        }),
        reply: record({
          access_token: string,
          issued_token_type: string,
          token_type: string,
          expires_in: integer,
          scope: string
        })
      },
      exchange
    )
  }
} satisfies Route
