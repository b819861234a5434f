/** `/users/permissions/matches/`: how many objects the constraints in a form match, by type. Stores nothing. */
import { Effect } from "effect"
import { constraintFor } from "../../auth/Constraint.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { TryOutLimits } from "../../http/webhooks/TryOutLimits.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Request } from "../../http/wire/Request.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import { isDictionary, textsIn } from "../../inventory/Field.ts"
import { grammarErrors } from "../../inventory/Grammar.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { countedList } from "../account/Sees.ts"
import { inWords, jsonInWords } from "../fault/InWords.ts"
import { bodyOf, cellsIn } from "../form/Cells.ts"
import { formOf } from "../form/FormField.ts"
import { framed } from "../frame/Frame.ts"
import { pathOf } from "../value/Title.ts"
import { typesIn } from "./Builder.ts"
import { matchesPath } from "./MatchesPane.ts"

const permissionType = objectType("users.objectpermission")

const submit: Handler = (request) =>
  Effect.gen(function* () {
    // Constraints lead along hidden objects too: only for readers who can grant themselves the sight of these.
    if (!(yield* mayDo(permissionType, "add")) && !(yield* mayDo(permissionType, "change"))) {
      const detail = "You do not have permission to perform this action."
      return yield* new HttpRefused({ reason: "Forbidden", body: { detail } })
    }
    const { limited } = yield* TryOutLimits
    yield* limited(request)
    const content = html`<section class="card" aria-labelledby="matches-title">
      <div class="ch"><h2 id="matches-title">Matches</h2></div>
      ${yield* matchesOf(yield* readForm(request.incoming), request)}
    </section>`
    if (request.incoming.headers["hx-request"] === undefined) {
      return yield* framed(request, {
        title: "Matches",
        crumbs: [["Permissions", pathOf(permissionType)]],
        main: content
      })
    }
    return { status: 200, headers: { "cache-control": "no-store" }, text: { type: "text/html", content: content.text } }
  })

const matchesOf = Effect.fnUntraced(function* (sent: URLSearchParams, { principal }: Request) {
  const form = formOf(permissionType, yield* customFieldsOf(permissionType))
  const cells = cellsIn(form, sent)
  const types = typesIn(cells["object_types"] ?? "")
  if (types.length === 0) return html`<p class="note sub">Choose object types first.</p>`
  const text = cells["constraints"] ?? ""
  const fault = text.trim() === "" ? undefined : jsonInWords(text)
  if (fault !== undefined) return refusal(fault)
  const body = bodyOf(form, {}, cells)
  const constraints = isDictionary(body) ? (body["constraints"] ?? null) : null
  const values = { constraints }
  const row = { constraints, object_types: types.map(({ id }) => id) }
  const [errors] = yield* grammarErrors(permissionType, [{ values, row }])
  const message = textsIn(errors?.["constraints"] ?? [])[0]
  if (message !== undefined)
    return refusal(inWords({ type: permissionType, name: "constraints", message, input: text }))
  const asked = types.flatMap((type) => {
    const compiled = constraintFor(type, constraints, principal.user?.id ?? 0)
    return "where" in compiled ? [{ type, where: compiled.where }] : []
  })
  const mentionsUser = text.includes("$user")
  return html`${yield* countedList(asked)}
    <p class="note sub">Objects that you may view.${mentionsUser ? html` <code>$user</code> is you here.` : ""}</p>`
})

const refusal = (message: string): Html => html`<p class="note field-error" role="status">${message}</p>`

export default {
  path: matchesPath,
  access: permissionType,
  action: "view",
  methods: { POST: submit }
} satisfies Route
