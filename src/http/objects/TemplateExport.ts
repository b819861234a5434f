/**
 * `GET …/?export=<name>`: the objects of a list as a file that an export template makes of them. A template is hostile
 * input, and so is its output: it is rendered by a worker thread within the budgets of all templates, and a browser that
 * shows it runs nothing in it.
 */
import { Duration, Effect } from "effect"
import type { RowOf } from "../../inventory/Field.ts"
import { mayView } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Where, allOf, equalTo, withText } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { list, readPage, viewFor } from "../../inventory/read/Read.ts"
import type ExportTemplateType from "../../inventory/types/extras/ExportTemplate.ts"
import { Templates } from "../../template/Template.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import type { Reply } from "../Route.ts"
import { parameterOf } from "../query/Parameter.ts"
import { filteredBy, refuseMissing } from "../query/Strict.ts"
import { jsonText } from "../wire/JsonText.ts"
import { Listed } from "../wire/Listed.ts"
import type { Request } from "../wire/Request.ts"
import { HeavyRequests } from "./HeavyRequests.ts"
import { tooLarge } from "./Limits.ts"

const exportTemplateType = objectType<typeof ExportTemplateType>("extras.exporttemplate")

type ExportTemplate = RowOf<typeof ExportTemplateType>

/** Most objects of an export. */
const objectsMax = 5_000

/** Most characters of the JSON of all of them. */
const charsMax = 4 * 1024 * 1024

/** Longest time for the rendering, the wait for a worker included. */
const renderingTime = Duration.seconds(20)

/** Most templates of a type that a menu lists. */
const listedMax = 50

const usualType = "text/plain; charset=utf-8"

/** A browser that shows the file runs no script, sends no form and loads nothing, whatever the template makes. */
const headers = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
}

/** The name of the template that a query of a list requests; undefined if there is none. */
export const exportIn = (query: URLSearchParams): string | undefined => parameterOf(query, "export")

const forType = ({ id }: ObjectType): Where => withText(exportTemplateType, "content_types", id)

/** The export templates of a type that the reader may view, by name. */
export const exportTemplatesOf = Effect.fnUntraced(function* (type: ObjectType) {
  if (!(yield* mayView(exportTemplateType))) return []
  return yield* list(exportTemplateType, { where: forType(type), ordering: [], limit: listedMax, offset: 0 })
})

/** The template of the name; of several the first. Fails with 404 if there is none that the sender may view. */
const templateNamed = Effect.fnUntraced(function* (type: ObjectType, name: string) {
  if (!(yield* mayView(exportTemplateType))) return yield* notFound()
  const where = allOf(forType(type), equalTo(exportTemplateType, { name }))
  const [found] = yield* list(exportTemplateType, { where, ordering: ["id"], limit: 1, offset: 0 })
  return found ?? (yield* notFound())
})

/** Answers with the file of the list that the query selects. Fails with 400, 404, 413 or 503. */
export const exportBy = Effect.fnUntraced(function* (type: ObjectType, name: string, request: Request) {
  const { exporting } = yield* HeavyRequests
  const template = yield* templateNamed(type, name)
  const output = yield* exporting(Effect.flatMap(contextOf(type, request), (context) => rendered(template, context)))
  return fileOf(type, template, output)
})

/** The context of the template: the objects as the API shows them. */
const contextOf = Effect.fnUntraced(function* (type: ObjectType, request: Request) {
  const { where, named } = yield* filteredBy(type, request)
  yield* refuseMissing(named, 0)
  const ordering = (parameterOf(request.url.searchParams, "ordering") ?? "").split(",")
  const { rows, beside } = yield* readPage(type, { where, ordering, limit: objectsMax + 1, offset: 0 })
  if (rows.length > objectsMax) {
    return yield* tooLarge(
      `An export by a template has at most ${objectsMax} objects. Filter the list, or use …/export/.`
    )
  }
  const view = yield* viewFor(type, rows, request.base, beside)
  const queryset = Listed.of(rows, (row) => {
    const shown = representation(type, row, view)
    // NetBox's templates name custom fields so.
    return Object.hasOwn(shown, "custom_fields") ? { ...shown, cf: shown["custom_fields"] } : shown
  })
  const text = yield* jsonText({ queryset }, charsMax)
  if (text !== undefined) return text.toString()
  return yield* tooLarge(
    `The objects of the list have more than ${charsMax} characters together, as many as an export by a template may have. Filter the list, or use …/export/.`
  )
})

const rendered = Effect.fnUntraced(function* ({ id, name, template_code: source }: ExportTemplate, context: string) {
  const { render } = yield* Templates
  const [output = ""] = yield* render([source], context, "jinja", `export template ${id}`).pipe(
    Effect.mapError(
      (error) =>
        new HttpRefused({
          reason: "InvalidQuery",
          body: { detail: `There was an error rendering the selected export template (${name}): ${error.told}` }
        })
    ),
    Effect.timeoutOrElse({
      duration: renderingTime,
      orElse: () => new HttpRefused({ reason: "Busy", body: { detail: "The template could not be rendered in time." } })
    })
  )
  return output
})

/** The name of the file is NetBox's: `netbox_ip_addresses.csv`. */
const fileOf = (type: ObjectType, template: ExportTemplate, content: string): Reply => {
  const { mime_type: mime, file_extension: extension, as_attachment: isAttachment } = template
  const name = `netbox_${type.plural.replaceAll("-", "_")}${extension === "" ? "" : `.${extension}`}`
  const disposition = isAttachment ? `attachment; filename="${name.replaceAll(/[^\w.-]/g, "_")}"` : "inline"
  return {
    status: 200,
    headers: { ...headers, "content-disposition": disposition },
    text: { type: mediaType(mime), content }
  }
}

/** Plain SQL may have written anything. */
const mediaType = (mime: string): string => (/^[\w!#$&^.+-]+\/[\w!#$&^.+;= :-]+$/.test(mime) ? mime : usualType)
