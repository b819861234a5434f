/** `/extras/image-attachments/add/`: attaches an image to an object. The panel of an object has the same form, shorter. */
import { Effect } from "effect"
import { refuseForgedUpload } from "../../http/Admission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { type Upload, receiveForm, uploadIn } from "../../http/images/Upload.ts"
import { HeavyRequests } from "../../http/objects/HeavyRequests.ts"
import { isOfType } from "../../http/wire/MediaType.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Errors, textsIn } from "../../inventory/Field.ts"
import { isThere } from "../../inventory/read/Read.ts"
import { registry } from "../../inventory/Registry.ts"
import { create } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { fieldTitle, pathOf, pluralOf } from "../value/Title.ts"
import { imageForm, imageType } from "./ImageForm.ts"

interface Filled {
  readonly content_type: string
  readonly object_id: string
  readonly name: string
}

const page = (request: Request, filled: Filled, errors: Errors = {}) =>
  framed(request, {
    title: "Add image attachment",
    crumbs: [[groupOf(imageType)], [pluralOf(imageType), pathOf(imageType)]],
    actions: html`<a class="btn btn-sm" href="${pathOf(imageType)}">${icon("chevron-left")}Back to the list</a>`,
    main: html`${problem(errors)}
    ${imageForm(
      request,
      html`<div class="form-row">
          <label for="i-type">Content type</label>
          <div>
            <select class="field-in" id="i-type" name="content_type" required>
              <option value=""></option>
              ${[...registry.values()].flatMap(({ id, kind, label }) => (kind === "object" ? [html`<option value="${id}" ${id === filled.content_type ? html` selected` : ""}>${fieldTitle(label)}</option>`] : []))}
            </select>
          </div>
        </div>
        <div class="form-row">
          <label for="i-object">Object id</label>
          <div>
            <input
              class="field-in"
              id="i-object"
              name="object_id"
              inputmode="numeric"
              required
              value="${filled.object_id}"
            />
          </div>
        </div>`,
      filled.name
    )}`,
    status: Object.keys(errors).length === 0 ? 200 : 400
  })

const problem = (errors: Errors) => {
  const messages = Object.entries(errors).map(
    ([name, each]) =>
      html`<li>
        ${name.startsWith("_") || name === "detail" ? "" : `${fieldTitle(name)}: `}${textsIn(each).join(" ")}
      </li>`
  )
  return messages.length === 0
    ? ""
    : html`<div class="alert-line" role="alert" id="problem">
        <b>No image was attached.</b>
        <ul>
          ${messages}
        </ul>
      </div>`
}

const show: Handler = (request) => {
  const given = (name: string) => request.url.searchParams.get(name) ?? ""
  return page(request, { content_type: given("content_type"), object_id: given("object_id"), name: given("name") })
}

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { uploading } = yield* HeavyRequests
    return yield* uploading(upload(request))
  })

const upload = Effect.fnUntraced(function* (request: Request) {
  if (!isOfType(request.contentType, "multipart/form-data")) {
    return yield* page(request, { content_type: "", object_id: "", name: "" }, { image: ["No file was submitted."] })
  }
  const bytes = yield* receiveForm(imageType, request)
  yield* refuseForgedUpload(request, bytes)
  const sent = yield* Effect.result(uploadIn(bytes, request.contentType!))
  const { fields, files }: Upload =
    sent._tag === "Success" ? sent.success : { fields: new URLSearchParams(), files: {} }
  const text = (name: string) => fields.get(name) ?? ""
  const filled = { content_type: text("content_type"), object_id: text("object_id"), name: text("name") }
  if (sent._tag === "Failure") return yield* page(request, filled, errorsOf(sent.failure))
  const made = create(imageType, [{ ...filled, image: files["image"] }], request.author)
  return yield* made.pipe(
    Effect.flatMap(([image]) => added(image!.row)),
    Effect.catchIf(
      (error): error is WriteRefused => error instanceof WriteRefused,
      ({ errors }) => page(request, filled, errors[0])
    )
  )
})

const errorsOf = ({ body }: HttpRefused): Errors => ({
  detail: [String((body as { readonly detail?: unknown }).detail)]
})

/** Leads to the object, or to the list of images where the reader does not see it. */
const added = Effect.fnUntraced(function* ({
  id,
  content_type: of,
  object_id: owner
}: Readonly<Record<string, unknown>> & { readonly id: number }) {
  const type = registry.get(String(of))
  const isSeen = type !== undefined && (yield* isThere(type, Number(owner)))
  const to = isSeen ? pathOf(type, Number(owner)) : pathOf(imageType)
  return { ...redirect(to), cookies: [flash({ deed: "added", type: imageType })], written: [id] }
})

export default {
  path: `${pathOf(imageType)}add/`,
  access: imageType,
  action: "add",
  takesFiles: true,
  hasOwnLimit: true,
  methods: { GET: show, POST: submit }
} satisfies Route
