/** The part of an object's form with its images: those that it has, inputs for files, and boxes that remove them. */
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type UploadedFile, imageFieldsOf, imagePath } from "../../inventory/image/ImageField.ts"
import { type Html, html } from "../Html.ts"
import { fieldTitle } from "../value/Title.ts"

/**
 * The images that a form sent, by field: a file, null for one that is removed, or undefined for a file that was chosen
 * before a page between the form and its save.
 */
export type SentImages = Readonly<Record<string, UploadedFile | null | undefined>>

export const imageHint = "PNG, JPEG, GIF or WebP, at most 10 MiB."

/** Media types that a browser offers. */
export const accepted = html`accept="image/png,image/jpeg,image/gif,image/webp"`

export interface ImageInputs {
  readonly type: ObjectType
  /** The object that the form changes; undefined for a new one. */
  readonly object: { readonly row: Row; readonly display: string } | undefined
  readonly sent: SentImages
  /** Errors of an image, by its field. */
  readonly errorsOf: (name: string) => ReadonlyArray<string>
  /** The name of the field that gets the focus. */
  readonly focus: string | undefined
}

/** The card with the images; nothing for a type without. */
export const imageInputs = (inputs: ImageInputs): Html | "" => {
  const fields = imageFieldsOf(inputs.type)
  return fields.length === 0
    ? ""
    : html`<section class="card form-group" aria-labelledby="g-images">
        <h2 id="g-images">${fields.length === 1 ? "Image" : "Images"}</h2>
        ${fields.map(({ name, folder }) => imageRow(inputs, name, folder))}
      </section>`
}

const imageRow = ({ type, object, sent, errorsOf, focus }: ImageInputs, name: string, folder: string): Html => {
  const title = fieldTitle(name)
  const messages = errorsOf(name)
  const isWrong = messages.length > 0
  const describedBy = isWrong ? `e-${name} h-${name}` : `h-${name}`
  const stored = object?.row[name] ?? null
  const isOptional = type.fields[name]!.nullable
  return html`<div class="form-row">
    <label for="f-${name}">${title}</label>
    <div>
      ${object === undefined || stored === null ? "" : storedImage(imagePath(folder, object.row.id, String(stored)), `${title} of ${object.display}`)}
      <input
        class="field-in"
        type="file"
        id="f-${name}"
        name="${name}"
        ${accepted}
        aria-describedby="${describedBy}"
        ${isWrong ? html` aria-invalid="true"` : ""}
        ${focus === name ? html` autofocus` : ""}
      />
      ${isWrong ? html`<p class="field-error" id="e-${name}">${messages.join(" ")}</p>` : ""}
      <p class="sub" id="h-${name}">
        ${stored === null ? "" : "A file replaces the image. "}${imageHint}${Object.hasOwn(sent, name) && sent[name] !== null ? html` <b class="no-script">Choose the file again: browsers send it once.</b>` : ""}
      </p>
      ${
        stored === null || !isOptional
          ? ""
          : html`<div class="checks">
              <label
                ><input type="checkbox" name="${name}" value="" ${sent[name] === null ? html` checked` : ""} />Remove
                the ${title.toLowerCase()}</label
              >
            </div>`
      }
    </div>
  </div>`
}

const storedImage = (path: string, alt: string): Html =>
  html`<a class="image-now" href="${path}" target="_blank" rel="noopener"
    ><img class="attached" src="${path}" alt="${alt}"
  /></a>`
