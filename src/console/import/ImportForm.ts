/** The form of an import, and the table of the fields that a file may have. */
import type { Request } from "../../http/wire/Request.ts"
import { formats } from "../../http/files/ImportFormat.ts"
import type { Field } from "../../inventory/Field.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { backColumns } from "../../inventory/name/BackReference.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { objectType } from "../../inventory/Registry.ts"
import { Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { inSentence, pathOf, pluralOf } from "../value/Title.ts"

/** Values of the form when it was sent. */
export interface ImportText {
  readonly text: string
  readonly format: string
}

interface Form extends ImportText {
  readonly type: ObjectType
  readonly request: Request
  /** Whether the text was checked, and can be imported as it is. */
  readonly isChecked: boolean
  readonly isWrong: boolean
}

/** Browsers drop a line break right behind the tag of a text area, so one is put there for them. */
const lineBreak = new Html("\n")

/** The token has to be the first field: the service reads it at the beginning of the upload only. */
export const importForm = ({ type, request, text, format, isChecked, isWrong }: Form): Html => {
  const path = `${pathOf(type)}import/`
  const check = (style: string) =>
    html`<button class="btn btn-sm ${style}" formaction="${path}?dry_run=true">${icon("check")}Check</button>`
  const write = (style: string) =>
    html`<button class="btn btn-sm ${style}" formaction="${path}">${icon("upload")}Import</button>`
  return html`<form
    class="card object-form import-form"
    method="post"
    enctype="multipart/form-data"
    action="${path}?dry_run=true"
  >
    ${csrfInput(request)}
    <div class="form-row">
      <label for="f-data">Text</label>
      <div>${area(type, text, isWrong)}</div>
    </div>
    <div class="form-row">
      <label for="f-file">Or a file</label>
      <div>
        <input
          class="field-in"
          type="file"
          id="f-file"
          name="file"
          accept=".csv,.json,.yaml,.yml,text/csv,application/json"
        />
        <p class="sub">In UTF-8, at most 16 MiB and 100,000 rows. A file takes the place of the text.</p>
      </div>
    </div>
    <div class="form-row">
      <label for="f-format">Format</label>
      <div>
        <select class="field-in" id="f-format" name="format">
          <option value="">Detect from the file or the text</option>
          ${formats.map((each) => html`<option value="${each}" ${each === format ? html` selected` : ""}>${each.toUpperCase()}</option>`)}
        </select>
      </div>
    </div>
    <p class="sub links">
      A row with an <code>id</code> changes that object, others add one. All rows are imported or none; a check writes
      nothing. <a href="${path}template.csv" download>Template with all columns</a>
    </p>
    <div class="form-end">
      ${isChecked ? html`${write("btn-primary")}${check("")}` : html`${check("btn-primary")}${write("")}`}
      <a class="btn btn-sm" href="${pathOf(type)}">Cancel</a>
    </div>
  </form>`
}

const area = (type: ObjectType, text: string, isWrong: boolean): Html => {
  const wrong = isWrong ? html`aria-invalid="true" aria-describedby="problem" autofocus` : ""
  const attributes = html`id="f-data" name="data" rows="12" spellcheck="false" placeholder="${example(type)}" ${wrong}`
  return html`<textarea class="field-in" ${attributes}>${lineBreak}${text}</textarea>`
}

/** A header of the required columns. */
const example = (type: ObjectType): string =>
  importFields(type)
    .filter(([, { initial }]) => initial === undefined)
    .map(([name]) => name)
    .join(",")

const importFields = perType((type): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(type.fields).filter(([, { wire }]) => wire === "both" || wire === "write")
)

export const fieldTable = (type: ObjectType): Html =>
  html`<section class="card" aria-labelledby="fields">
    <div class="ch"><h2 id="fields">Fields</h2></div>
    <div class="table-responsive" tabindex="0" role="region" aria-label="Fields of a file">
      <table class="table table-vcenter card-table dense fields">
        <caption class="visually-hidden">
          The fields of a row
        </caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Required</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row"><code>id</code></th>
            <td><span class="none">—</span></td>
            <td>The id of an object that the row changes</td>
          </tr>
          ${importFields(type).map(
            ([name, field]) =>
              html`<tr>
                <th scope="row"><code>${name}</code></th>
                <td>${field.initial === undefined ? "Yes" : html`<span class="none">—</span>`}</td>
                <td class="links">${valueIn(field)}</td>
              </tr>`
          )}
          ${backColumns(type).map(
            (column) =>
              html`<tr>
                <th scope="row"><code>${column}</code></th>
                <td><span class="none">—</span></td>
                <td>true or false</td>
              </tr>`
          )}
        </tbody>
      </table>
    </div>
  </section>`

/** Most choices that are listed. */
const choicesMax = 40

const kinds: Readonly<Record<string, string>> = {
  boolean: "true or false",
  jsonb: "JSON",
  timestamptz: "A time, as 2026-01-31T12:00:00Z",
  date: "A day, as 2026-01-31",
  inet: "An address, as 192.0.2.1/24",
  cidr: "A prefix, as 192.0.2.0/24",
  macaddr: "A MAC address",
  uuid: "A UUID"
}

const texts = {
  plain: "Text",
  slug: "Letters, digits, underscores and hyphens,",
  url: "A URL",
  email: "An email address",
  color: "Red, green and blue as hexadecimal digits,",
  image: "An image as a data URL, whose name is"
} as const

/** How a file says the value of a field. */
const valueIn = ({ reference, choices, type, maxLength, format }: Field): Html => {
  const list = type.endsWith("[]") ? ", in CSV with commas between" : ""
  if (reference !== undefined) {
    const target = objectType(reference.type)
    const key = naturalKey(target)
    const ids = reference.many ? `Ids or ${key}s` : `The id or ${key}`
    return html`${ids} of <a href="${pathOf(target)}">${inSentence(pluralOf(target))}</a>${list}`
  }
  if (choices !== undefined) {
    const keys = Object.keys(choices)
    const rest = keys.length - choicesMax
    return html`${keys.slice(0, choicesMax).map((key, at) => html`${at === 0 ? "" : ", "}<code>${key}</code>`)}${rest > 0 ? ` and ${rest} more` : ""}${list}`
  }
  const base = type.replace(/\[\]$|\(.*/g, "")
  const kind =
    kinds[base] ?? (/^(bigint|integer|smallint|numeric|real|double)/.test(base) ? "A number" : texts[format ?? "plain"])
  return html`${kind}${maxLength === undefined ? "" : ` of at most ${maxLength} characters`}${list}`
}
