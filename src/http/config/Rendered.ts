/**
 * Renders config templates in the workers of templates, under their budgets and the limits of trying templates out.
 *
 * A reader renders templates that the reader may view. The config contexts of the device apply whatever the reader may
 * view: they are part of the device.
 */
import { Effect } from "effect"
import { Clearance } from "../../inventory/Clearance.ts"
import { type Dictionary, type Row, emptyRecord } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { configContextsOf } from "../../inventory/context/ConfigContexts.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { configEngine } from "../../template/ConfigEngine.ts"
import { Templates } from "../../template/Template.ts"
import type { TemplateError } from "../../template/TemplateError.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { TryOutLimits } from "../webhooks/TryOutLimits.ts"
import { jsonText } from "../wire/JsonText.ts"
import type { Request } from "../wire/Request.ts"

export const templateType = objectType("extras.configtemplate")
export const deviceType = objectType("dcim.device")

/** Largest context of a template, characters of its JSON. */
const contextCharsMax = 4 * 1024 * 1024

/** The template that a device has: its own, else that of its role, else that of its platform. */
export const templateOf = Effect.fnUntraced(function* (device: Row) {
  let id = device["config_template"]
  for (const name of ["device_role", "platform"]) {
    if (typeof id === "number") break
    const reference = device[name]
    if (typeof reference !== "number") continue
    const type = objectType(deviceType.fields[name]!.reference!.type)
    // Hiding a role hides its name, and not what the device has by it.
    const [row] = yield* Effect.provideService(byIds(type, [reference]), Clearance, Clearance.all)
    id = row?.["config_template"]
  }
  if (typeof id !== "number") return undefined
  const [template] = yield* byIds(templateType, [id])
  return template
})

/** NetBox's context of a device's template: its config context, the values of the request, and the device. */
export const contextOfDevice = Effect.fnUntraced(function* (device: Row, values: Dictionary, base: string) {
  const contextOf = yield* configContextsOf(deviceType, [device])
  const merged = contextOf?.(device.id, device["local_context_data"])
  if (merged === undefined || merged === null) {
    const detail = "The config contexts of the device are too many or too large to be merged."
    return yield* new HttpRefused({ reason: "InvalidBody", body: { detail } })
  }
  const view = yield* viewFor(deviceType, [device], base)
  const shown = { ...representation(deviceType, device, view), config_context: merged }
  return Object.assign(emptyRecord<unknown>(), merged, values, { device: shown })
})

/** The output of a template, with line feeds alone. Fails with 400 where it fails. */
export const rendered = Effect.fnUntraced(function* (template: Row, context: Dictionary, request: Request) {
  const { inTurn } = yield* TryOutLimits
  const templates = yield* Templates
  const text = yield* jsonText(context, contextCharsMax)
  if (text === undefined) {
    const detail = `The context of the template has more than ${contextCharsMax} characters.`
    return yield* new HttpRefused({ reason: "InvalidBody", body: { detail } })
  }
  const engine = configEngine(template["environment_params"])
  const outputs = yield* inTurn(request, (owner) =>
    templates.render([String(template["template_code"])], text.toString(), engine, owner).pipe(Effect.mapError(failed))
  )
  return (outputs[0] ?? "").replaceAll("\r\n", "\n")
})

/** NetBox's message, with status 400 in place of 500: the template is at fault. */
const failed = ({ message, line }: TemplateError): HttpRefused => {
  const detail = `An error occurred while rendering the template (line ${line}): ${message}`
  return new HttpRefused({ reason: "InvalidBody", body: { detail } })
}
