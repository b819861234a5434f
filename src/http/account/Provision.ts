/** `POST /api/users/tokens/provision/`: makes a token for a user name and a password. */
import { ByteSize, Effect } from "effect"
import { auditLogin, auditRefused, auditThrottled } from "../../auth/Audit.ts"
import { Denied } from "../../auth/Denied.ts"
import { mustSetUp } from "../../auth/factor/FactorPolicy.ts"
import { factorsOf, hasFactor, proveFactor } from "../../auth/factor/Factors.ts"
import { logIn } from "../../auth/password/Password.ts"
import { clearanceOf } from "../../auth/Permission.ts"
import type { UserRow } from "../../auth/Principal.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { type Dictionary, emptyRecord } from "../../inventory/Field.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { create } from "../../inventory/write/Write.ts"
import { everything } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { addressOf } from "../Admission.ts"
import { bodyFields, refused } from "../webhooks/ActionRequest.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { flag, listOf, objectOf, optional, orNull, record, string, time } from "../declare/Parts.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { throttled } from "../wire/RateLimit.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"

const type = objectType("users.token")

/** Fields of the new token that the body may set. */
const chosen = new Set(["expires", "write_enabled", "description", "allowed_ips"])

const provision = endpoint(
  {
    summary: "Create a token for a user name and a password; the answer shows its key this once",
    body: record({
      ...{ username: string, password: string, otp: optional(string), description: optional(string) },
      ...{
        expires: optional(orNull(time)),
        write_enabled: optional(flag),
        allowed_ips: optional(orNull(listOf(string)))
      }
    }),
    status: 201,
    reply: objectOf(type)
  },
  (request) =>
    Effect.gen(function* () {
      const { username, password, body } = yield* credentials(yield* bodyFields(request))
      const address = addressOf(request.incoming)
      const principal = yield* logIn(username, password, { address, author: request.author }).pipe(
        Effect.tap(({ user }) => proveOtp(user, body["otp"], address)),
        Effect.tapErrorTag("Denied", (denied) =>
          auditRefused(denied, { what: "POST /api/users/tokens/provision/", way: "password", name: username }, address)
        ),
        Effect.catchTags({
          TooManyAttempts: ({ seconds }) => Effect.andThen(auditThrottled(username, address), throttled(seconds)),
          SignInRefused: ({ sentence }) => new HttpRefused({ reason: "Forbidden", body: { detail: sentence } })
        })
      )
      const fields = Object.fromEntries(Object.entries(body).filter(([name]) => chosen.has(name)))
      return yield* newToken({ ...fields, user: principal.user.id }, request).pipe(
        Effect.provideService(Clearance, referringToAll(yield* clearanceOf(principal))),
        Effect.tap(() => auditLogin("provisioned a token", username, address))
      )
    })
)

/** A user with a second factor needs a code of it, or a recovery code. */
const proveOtp = Effect.fnUntraced(function* (user: UserRow, otp: unknown, address: string | undefined) {
  if (yield* mustSetUp(user.id)) return yield* new Denied({ reason: "FactorNotSetUp" })
  if (!hasFactor(yield* factorsOf(user.id))) return
  if (typeof otp !== "string" || otp === "") return yield* new Denied({ reason: "FactorRequired" })
  yield* proveFactor({ user, address }, otp)
})

/** The user of the token is no choice of the sender, who may lack the permission to view even their own user object. */
const referringToAll = (clearance: Clearance["Service"]): Clearance["Service"] => ({
  ...clearance,
  where: (of, action) => (action === "refer" ? everything : clearance.where(of, action))
})

const newToken = Effect.fnUntraced(function* (fields: Readonly<Record<string, unknown>>, request: Request) {
  const created = yield* create(type, [fields], request.author).pipe(
    Effect.catchTag("WriteRefused", ({ errors }) => new HttpRefused({ reason: "InvalidBody", body: errors[0] }))
  )
  const rows = created.map(({ row }) => row)
  const view = yield* viewFor(type, rows, request.base)
  const [json] = created.map(({ row, shown }) => ({ ...representation(type, row, view), ...shown }))
  return { status: 201, json: json!, headers: { location: String(json!["url"]) } }
})

const credentials = (input: Dictionary) => {
  const errors = emptyRecord<ReadonlyArray<string>>()
  for (const name of ["username", "password"]) {
    const message = refusal(input[name])
    if (message !== undefined) errors[name] = [message]
  }
  if (Object.keys(errors).length > 0) return refused(errors)
  return Effect.succeed({
    username: String(input["username"]).trim(),
    password: String(input["password"]),
    body: input
  })
}

const refusal = (value: unknown): string | undefined => {
  if (value === undefined) return "This field is required."
  if (value === null) return "This field may not be null."
  if (typeof value !== "string") return "Not a valid string."
  return value.trim() === "" ? "This field may not be blank." : undefined
}

/** Anybody may send a body here; none has more than a name, a password and some networks. */
const jsonMax = ByteSize.kibibytes(4)

export default {
  path: "/api/users/tokens/provision/",
  access: "credentials",
  jsonMax,
  methods: { POST: provision }
} satisfies Route
