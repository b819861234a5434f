/** The form of a page of the API with an input for each field. References are ids or keys, as in a file of objects. */
import { Effect } from "effect"
import type { Browsing } from "../../http/Browse.ts"
import type { Refusal } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Errors, type Row, isDictionary, textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { bodyOf, cellsIn, cellsOf, withoutLong } from "../form/Cells.ts"
import { control, inputId } from "../form/Control.ts"
import { type Form, type FormField, formOf, keysOf, targetOf, targetsOf } from "../form/FormField.ts"
import { capital, inSentence } from "../value/Title.ts"
import { apiForm, methodButton, versionInput } from "./RequestForms.ts"

interface Fields {
  readonly sender: Pick<Request, "principal">
  readonly type: ObjectType
  readonly method: "POST" | "PUT"
  /** The object that it changes. */
  readonly row: Row | undefined
  readonly etag: string | undefined
  /** The form as it was sent and refused; undefined if there was none. */
  readonly sent: URLSearchParams | undefined
  readonly refusal: Refusal | undefined
}

export const fieldsForm = Effect.fnUntraced(function* ({ sender, type, method, row, etag, sent, refusal }: Fields) {
  const form = yield* plainForm(type)
  const cells = withoutLong({ ...cellsOf(form, row), ...(sent !== undefined && cellsIn(form, sent)) })
  const errors = sent === undefined ? {} : errorsIn(refusal)
  const wrong = form.fields.find(({ name }) => Object.hasOwn(errors, name))
  const line = (field: FormField) => {
    const messages = Object.hasOwn(errors, field.name) ? textsIn(errors[field.name]!) : []
    return fieldLine({ field, cells, messages, hasFocus: field === wrong })
  }
  return apiForm(
    sender,
    html`${versionInput(etag)}${form.fields.filter(({ name }) => Object.hasOwn(cells, name)).map(line)}
      <div class="form-end">${methodButton(method, "btn-primary")}</div>`,
    "api-form"
  )
})

/** Without pickers: those lead to a search, and back to the form of the console. */
const plainForm = (type: ObjectType) =>
  Effect.map(customFieldsOf(type), (definitions): Form => {
    const { fields } = formOf(type, definitions)
    return { type, fields: fields.map(plain) }
  })

const plain = (field: FormField): FormField => {
  if (field.control !== "reference" && field.control !== "references" && field.control !== "list") return field
  const isMany = field.control !== "reference"
  const target = targetOf(field, {})
  const keys = target === undefined ? [] : [`${keysOf(target, isMany)} of ${inSentence(targetsOf(target))}`]
  const hint = [...keys, ...(isMany ? ["separated by commas"] : [])].join(", ")
  const sentence = hint === "" ? "" : `${capital(hint)}.`
  return { ...field, control: "text", help: [field.help, sentence].filter((each) => each !== "").join(" ") }
}

const errorsIn = (refusal: Refusal | undefined): Errors =>
  refusal?._tag === "HttpRefused" && refusal.reason === "InvalidBody" && isDictionary(refusal.body)
    ? (refusal.body as Errors)
    : {}

interface Line {
  readonly field: FormField
  readonly cells: Readonly<Record<string, string>>
  readonly messages: ReadonlyArray<string>
  readonly hasFocus: boolean
}

const fieldLine = ({ field, cells, messages, hasFocus }: Line): Html => {
  const { name, title, isRequired, help } = field
  const isWrong = messages.length > 0
  const describedBy = [...(isWrong ? [`e-${name}`] : []), ...(help === "" ? [] : [`h-${name}`])]
  const required = isRequired ? html`<span class="required" title="required">*</span>` : ""
  return html`<div class="form-row">
    ${
      field.control === "several"
        ? html`<span class="label">${title}${required}</span>`
        : html`<label for="${inputId(field)}">${title}${required}</label>`
    }
    <div>
      ${control({ field, cells, labels: () => undefined, describedBy, isWrong, hasFocus })}
      ${isWrong ? html`<p class="field-error" id="e-${name}">${messages.join(" ")}</p>` : ""}
      ${help === "" ? "" : html`<p class="sub" id="h-${name}">${help}</p>`}
    </div>
  </div>`
}

/** No cell of a form: every cell that is sent differs from it. */
const nothing = "\0"

/**
 * The body of the request by the fields of a form. A new object leaves out what is blank; a whole one has every field
 * of the form.
 */
export const bodyOfFields: Browsing["bodyOf"] = (route, method, sent) => {
  const { access } = route
  if (typeof access === "string") return Effect.succeed({})
  return Effect.map(plainForm(access), (form) => {
    const cells = cellsIn(form, sent)
    const before = method === "POST" ? {} : Object.fromEntries(Object.keys(cells).map((name) => [name, nothing]))
    return bodyOf(form, before, cells)
  })
}
