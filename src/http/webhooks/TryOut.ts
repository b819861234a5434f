/** Tries out templates and conditions before a webhook has them. Writes nothing and sends nothing. */
import { Effect, Schema } from "effect"
import { inWords } from "../../telemetry/Telemetry.ts"
import { objectType } from "../../inventory/Registry.ts"
import { isDictionary, notDictionary } from "../../inventory/Field.ts"
import { isEmpty, parse } from "../../match/Condition.ts"
import type { Subject } from "../../match/Decision.ts"
import { explain as explainCondition } from "../../match/Explanation.ts"
import type { Source } from "../../template/Part.ts"
import { splitHeaders } from "../../template/Headers.ts"
import { sampleContext, sampleEvent } from "../../template/Samples.ts"
import { Templates } from "../../template/Template.ts"
import type { TemplateError } from "../../template/TemplateError.ts"
import { memberText } from "../../webhook/JsonText.ts"
import { bodyFields, fieldsIn, refused } from "./ActionRequest.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { explanation } from "../declare/Explanation.ts"
import { described, flag, object, optional, orNull, record, string } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { TryOutLimits } from "./TryOutLimits.ts"

const webhookType = objectType("extras.webhook")

/**
 * `{template, headers?, context?, template_engine?, batch?}` -> `{output, headers}`. A blank template is the default
 * body; without a context a sample event is used. With `"batch": true` templates see a batch of this one event. Errors are under the field's name, and in `error` with line and column.
 */
const render = endpoint(
  {
    summary: "Render a template of a webhook's body or headers",
    body: record({
      template: described(string, "Blank for the default body."),
      headers: optional(string),
      context: optional(described(object, "Without it an event of a sample.")),
      template_engine: optional(
        string.annotate({
          default: "jinja",
          description: "jinja, liquid or nunjucks, or that of another plugin."
        })
      ),
      batch: optional(described(flag, "Whether the template sees a batch of this one event."))
    }),
    reply: record({ output: string, headers: Schema.Record(string, string) })
  },
  (request) =>
    Effect.gen(function* () {
      const { limited, inTurn } = yield* TryOutLimits
      yield* limited(request)
      const { value, text: sent } = yield* request.bodyWithText
      const fields = yield* fieldsIn(value)
      const { template, headers = "", context, template_engine: engine = "jinja", batch = false } = fields
      if (template === undefined) return yield* refused({ template: ["This field is required."] })
      if (typeof template !== "string") return yield* refused({ template: ["Not a valid string."] })
      if (typeof headers !== "string") return yield* refused({ headers: ["Not a valid string."] })
      if (typeof engine !== "string") return yield* refused({ template_engine: ["Not a valid string."] })
      if (typeof batch !== "boolean") return yield* refused({ batch: ["Must be a valid boolean."] })
      if (context !== undefined && !isDictionary(context)) return yield* refused({ context: [notDictionary(context)] })
      const templates = yield* Templates
      const given = memberText(sent, "context")
      const event = given ?? JSON.stringify(sampleContext)
      const text = batch ? `{"events":[${event}]}` : event
      const rendered = (field: string, source: Source) =>
        inTurn(request, (owner) =>
          templates.render([source], text, engine, owner).pipe(
            Effect.map(([output = ""]) => output),
            Effect.mapError((error) => templateRefused(field, error))
          )
        )
      const whole = given ?? JSON.stringify(sampleEvent)
      const byDefault = batch ? `[${whole}]` : whole
      const output = template === "" ? byDefault : yield* rendered("template", template)
      const split = splitHeaders(headers === "" ? "" : yield* rendered("headers", { headers }))
      if ("error" in split) return yield* refused({ headers: [split.error] })
      return { status: 200, json: { output, headers: Object.fromEntries(split.headers) } }
    })
)

const templateRefused = (field: string, error: TemplateError): HttpRefused => {
  const { reason, message, limit, line, column, snippet } = error
  const body = { [field]: [error.told], error: { reason, message, limit, line, column, snippet } }
  return new HttpRefused({ reason: "InvalidBody", body })
}

/** `{conditions, data, snapshots?, context?}` -> `{matches, explanation}`. */
const match = endpoint(
  {
    summary: "Whether an object meets conditions, clause by clause",
    body: record({
      conditions: optional(orNull(object)),
      data: object,
      snapshots: optional(orNull(object)),
      context: optional(object)
    }),
    reply: record({ matches: flag, explanation: orNull(explanation) })
  },
  (request) =>
    Effect.gen(function* () {
      const { limited } = yield* TryOutLimits
      yield* limited(request)
      const { conditions, data, snapshots: given, context } = yield* bodyFields(request)
      const snapshots = given ?? undefined
      if (!isDictionary(data)) {
        return yield* refused({ data: [data === undefined ? "This field is required." : notDictionary(data)] })
      }
      if (snapshots !== undefined && !isDictionary(snapshots))
        return yield* refused({ snapshots: [notDictionary(snapshots)] })
      if (context !== undefined && !isDictionary(context)) return yield* refused({ context: [notDictionary(context)] })
      if (isEmpty(conditions)) return { status: 200, json: { matches: true, explanation: null } }
      const condition = yield* Effect.try({
        try: () => parse(conditions),
        catch: (error) => new HttpRefused({ reason: "InvalidBody", body: { conditions: [inWords(error)] } })
      })
      // Parsing a long body and evaluating are two steps of the event loop.
      yield* Effect.yieldNow
      const explained = explainCondition(condition, { data, snapshots: snapshots as Subject["snapshots"], context })
      return { status: 200, json: { matches: explained.outcome === "holds", explanation: explained } }
    })
)

export default [
  { path: `${webhookType.path}render/`, access: webhookType, methods: { POST: render } },
  { path: `${webhookType.path}match/`, access: webhookType, methods: { POST: match } }
] satisfies ReadonlyArray<Route>
