/** `/api/users/config/`: what programs keep about the user who sends the request. */
import { Effect } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { changeUserConfig, userConfig } from "../../auth/user/UserConfig.ts"
import { isDictionary, notDictionary } from "../../inventory/Field.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { object } from "../declare/Parts.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"

const userOf = Effect.fnUntraced(function* ({ principal: { user } }: Request) {
  return user?.id ?? (yield* new Denied({ reason: "NoCredentials" }))
})

const show = endpoint({ summary: "The configuration of the sender", reply: object }, (request) =>
  Effect.gen(function* () {
    return { status: 200, json: yield* userConfig(yield* userOf(request)) }
  })
)

const change = endpoint(
  { summary: "Merge into the configuration of the sender, at every level", body: object, reply: object },
  (request) =>
    Effect.gen(function* () {
      const user = yield* userOf(request)
      if (!request.principal.mayWrite) return yield* new Denied({ reason: "NoPermission" })
      const body = yield* request.body
      if (!isDictionary(body)) return yield* refused(notDictionary(body))
      const changed = yield* changeUserConfig(user, body)
      return "problem" in changed ? yield* refused(changed.problem) : { status: 200, json: changed.data }
    })
)

const refused = (message: string) => new HttpRefused({ reason: "InvalidBody", body: { non_field_errors: [message] } })

export default {
  path: "/api/users/config/",
  access: "open",
  methods: { GET: show, PATCH: change }
} satisfies Route
