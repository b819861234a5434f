/** `/<app>/<type>/import/`: adds and changes objects from pasted text or a file; a check writes nothing. */
import { Effect, Result } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { refuseForgedUpload } from "../../http/Admission.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { type Report, importFile } from "../../http/files/Import.ts"
import { Imports, receive } from "../../http/files/ImportFile.ts"
import { templateColumns } from "../../http/files/Columns.ts"
import { csvLine } from "../../http/files/Csv.ts"
import { formIn } from "../../http/files/ImportFormat.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { OutOfBounds } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { isUuid } from "../../inventory/field/Scalar.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { detailOf } from "../bulk/BulkPage.ts"
import { type ImportText, fieldTable, importForm } from "./ImportForm.ts"
import { firingFor, firingList } from "./ImportPreview.ts"
import { checked, imported, rowErrors } from "./ImportReport.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { inSentence, pathOf, pluralOf } from "../value/Title.ts"

interface PageParts {
  readonly typed?: ImportText | undefined
  readonly told?: Html
  readonly isChecked?: boolean
  readonly status?: number
}

const nothing: ImportText = { text: "", format: "" }

const page = (type: ObjectType, request: Request, { typed, told, isChecked = false, status = 200 }: PageParts) =>
  framed(request, {
    title: `Import ${inSentence(pluralOf(type))}`,
    crumbs: [[groupOf(type)], [pluralOf(type), pathOf(type)]],
    actions: html`<a class="btn btn-sm" href="${pathOf(type)}">${icon("chevron-left")}Back to the list</a>`,
    main: html`${told ?? ""}${importForm({ type, request, ...(typed ?? nothing), isChecked, isWrong: status !== 200 })}
    ${fieldTable(type)}`,
    status
  })

/** The page before an import, and with `?created=2&updated=1&ids=7,8,3&request=…` the one behind it. */
const show =
  (type: ObjectType): Handler =>
  (request) => {
    const asked = (name: string) => request.url.searchParams.get(name) ?? ""
    const [created, updated, ids, id] = ["created", "updated", "ids", "request"].map(asked)
    if (![created, updated].every((each) => /^\d{1,6}$/.test(each!))) return page(type, request, {})
    const done = {
      ...{ created: Number(created), updated: Number(updated) },
      ids: /^\d{1,15}(,\d{1,15})*$/.test(ids!) ? ids!.split(",").slice(0, linkedMax) : [],
      request: isUuid(id) ? id : undefined
    }
    return page(type, request, { told: imported(type, done) })
  }

/** Most objects that the page behind an import links to. */
const linkedMax = 50

/** `import/template.csv`: a table without rows that has all columns, those of custom fields too. */
const template =
  (type: ObjectType): Handler =>
  () =>
    Effect.map(customFieldsOf(type), (customFields) => ({
      status: 200,
      text: { type: "text/csv", content: csvLine(templateColumns(type, customFields)) },
      headers: { "content-disposition": `attachment; filename="${type.plural}.csv"` }
    }))

/** Largest upload whose text comes back in the form, bytes. */
const keptBytesMax = 1 << 20

/** Values of the form; undefined if it cannot be read. */
const typedIn = ({ contentType = "" }: Request, bytes: ArrayBuffer): ImportText | undefined => {
  try {
    const { fields, files } = formIn(bytes, contentType)
    const [file] = files
    const format = fields.get("format") ?? ""
    const text = file === undefined ? fields.get("data") : new TextDecoder("utf-8", { fatal: true }).decode(file.bytes)
    return { text: (text ?? "").replaceAll("\r\n", "\n"), format }
  } catch {
    return undefined
  }
}

const problem = (text: string): Html =>
  html`<div class="alert-line" role="alert" id="problem"><b>Nothing was imported.</b> ${text}</div>`

type ImportRefusal = HttpRefused | Denied | OutOfBounds

const isTold = (error: unknown): error is ImportRefusal =>
  error instanceof Denied ||
  error instanceof OutOfBounds ||
  (error instanceof HttpRefused && [400, 403, 413, 503].includes(error.status))

const outOfBounds = "Some rows would be objects that you may not write."

/** The page of a refusal in words, with what was typed. */
const refused = (type: ObjectType, request: Request, typed: ImportText | undefined, failure: ImportRefusal) => {
  if (!(failure instanceof HttpRefused)) {
    const why = failure instanceof Denied ? `${failure.detail} Rows with an id change objects.` : outOfBounds
    return page(type, request, { typed, told: problem(why), status: 403 })
  }
  const { errors } = (failure.body ?? {}) as { readonly errors?: Report["errors"] }
  const why =
    failure.status === 403
      ? `You logged in again since you opened the form. Send it again. (${detailOf(type, failure)})`
      : detailOf(type, failure)
  return page(type, request, {
    typed,
    told: errors === undefined ? problem(why) : rowErrors(type, errors),
    status: failure.status
  })
}

const submit =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { admit } = yield* Imports
      const length = Number(request.incoming.headers["content-length"] ?? Infinity)
      // Larger uploads are received one after the other, as the limit of imports at once has it.
      const typed = length > keptBytesMax ? undefined : typedIn(request, yield* receive(request))
      let firing: Html | undefined
      const result = yield* receive(request).pipe(
        Effect.flatMap((uploaded) => refuseForgedUpload(request, uploaded)),
        Effect.andThen(
          importFile(type, request, (changes) =>
            Effect.map(firingFor(changes, request), (found) => void (firing = firingList(found)))
          )
        ),
        admit,
        Effect.result
      )
      if (Result.isFailure(result)) {
        return isTold(result.failure) ? yield* refused(type, request, typed, result.failure) : yield* result.failure
      }
      const { report, dryRun, written } = result.success
      const { errors, created, updated } = report
      if (errors.length > 0) return yield* page(type, request, { typed, told: rowErrors(type, errors), status: 400 })
      if (dryRun)
        return yield* page(type, request, {
          typed,
          told: html`${checked(report, typed !== undefined)}${firing ?? ""}`,
          isChecked: true
        })
      const ids = written.slice(0, linkedMax).join(",")
      const done = `created=${created}&updated=${updated}&ids=${ids}&request=${request.author.requestId}`
      return { ...redirect(`${pathOf(type)}import/?${done}`), written }
    }).pipe(
      Effect.catchTag("HttpRefused", (failure) =>
        isTold(failure) ? refused(type, request, undefined, failure) : Effect.fail(failure)
      )
    )

export default [...registry.values()]
  .filter(({ kind, isReadOnly }) => kind === "object" && !isReadOnly)
  .flatMap((type): ReadonlyArray<Route> => {
    const path = `${pathOf(type)}import/`
    return [
      {
        path,
        access: type,
        action: "add",
        takesFiles: true,
        hasOwnLimit: true,
        methods: { GET: show(type), POST: submit(type) }
      },
      { path: `${path}template.csv`, access: type, action: "add", methods: { GET: template(type) } }
    ]
  })
