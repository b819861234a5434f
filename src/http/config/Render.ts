/** `POST /api/extras/config-templates/{id}/render/` and `POST /api/dcim/devices/{id}/render-config/`. */
import { Effect } from "effect"
import type { Dictionary, Row } from "../../inventory/Field.ts"
import { brief as briefOf } from "../../inventory/derive/represent/Representation.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { declaring } from "../declare/Endpoint.ts"
import { brief, described, object, record, string } from "../declare/Parts.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { rowOf } from "../objects/Objects.ts"
import type { Route } from "../Route.ts"
import { bodyFields } from "../webhooks/ActionRequest.ts"
import { TryOutLimits } from "../webhooks/TryOutLimits.ts"
import type { Request } from "../wire/Request.ts"
import { contextOfDevice, deviceType, rendered, templateOf, templateType } from "./Rendered.ts"

const plain = "text/plain"

const declared = (summary: string) => ({
  summary,
  body: described(object, "Values for the template, by name."),
  isBodyOptional: true,
  reply: record({ configtemplate: brief, content: string })
})

const renderTemplate = declaring(declared("Render a config template with values"), (request) =>
  Effect.gen(function* () {
    yield* (yield* TryOutLimits).limited(request)
    const template = yield* rowOf(templateType, request)
    return yield* answer(template, yield* bodyFields(request), request)
  })
)

const renderDevice = declaring(
  declared("Render the config template of a device: its own, that of its role or that of its platform"),
  (request) =>
    Effect.gen(function* () {
      yield* (yield* TryOutLimits).limited(request)
      const device = yield* rowOf(deviceType, request)
      const values = yield* bodyFields(request)
      const template = yield* templateOf(device)
      if (template === undefined) return yield* noTemplate
      return yield* answer(template, yield* contextOfDevice(device, values, request.base), request)
    })
)

const noTemplate = new HttpRefused({
  reason: "InvalidBody",
  body: { error: "No config template found for this device." }
})

/** The content with its template, or the content alone for clients that accept plain text. */
const answer = Effect.fnUntraced(function* (template: Row, context: Dictionary, request: Request) {
  const content = yield* rendered(template, context, request)
  if (request.accepted === plain) return { status: 200, text: { type: `${plain}; charset=utf-8`, content } }
  const view = yield* viewFor(templateType, [template], request.base)
  return { status: 200, json: { configtemplate: briefOf(templateType, template, view), content } }
})

const produces = ["application/json", plain]

export default [
  {
    path: `${templateType.path}:id/render/`,
    ...{ access: templateType, action: "view", produces, methods: { POST: renderTemplate } }
  },
  {
    path: `${deviceType.path}:id/render-config/`,
    ...{ access: deviceType, action: "view", produces, methods: { POST: renderDevice } }
  }
] satisfies ReadonlyArray<Route>
