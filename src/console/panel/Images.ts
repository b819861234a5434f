/** The images that are attached to an object, with a form that attaches another one; or the images of its own fields. */
import { Effect } from "effect"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import type { RowOf } from "../../inventory/Field.ts"
import { imageFieldsOf, imagePath } from "../../inventory/image/ImageField.ts"
import { imagesPerObject } from "../../inventory/image/StoredImages.ts"
import { list } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import type ImageAttachment from "../../inventory/types/extras/ImageAttachment.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { imageForm, imageType } from "../image/ImageForm.ts"
import { fieldTitle, nameOf, pathOf } from "../value/Title.ts"
import { type About, card, drawing, panelId } from "./Panel.ts"

type Image = Pick<RowOf<typeof ImageAttachment>, "id" | "name" | "image" | "image_width" | "image_height">

export default drawing("images", "side", ({ of, via }, about) =>
  of === "self" ? Effect.succeed(own(about, via)) : attached(about)
)

/** The images of the fields of the object, or of one that it refers to; nothing where there are none. */
const own = ({ type: ofPage, row: page, view }: About, via: string | undefined): Html | undefined => {
  const type = via === undefined ? ofPage : objectType(ofPage.fields[via]!.reference!.type)
  const row = via === undefined ? page : view.row(type.id, Number(page[via]))
  if (row === undefined) return undefined
  const images = imageFieldsOf(type).filter(({ name }) => (row[name] ?? null) !== null)
  const [first] = images
  if (first === undefined) return undefined
  const display = type.display(row, view)
  const isOnly = imageFieldsOf(type).length === 1
  const shown = images.map((image) => {
    const path = imagePath(image.folder, row.id, String(row[image.name]))
    const [height, width] = image.sides.map(([field]) => Number(row[field]))
    return isOnly
      ? picture({ path, alt: display, width, height })
      : html`<figure>
          ${picture({ path, alt: `${fieldTitle(image.name)} of ${display}`, width, height })}
          <figcaption>${fieldTitle(image.name)}</figcaption>
        </figure>`
  })
  const title = isOnly ? "Image" : via === undefined ? "Images" : `Images of the ${nameOf(type)}`
  const content = isOnly ? html`${shown}` : html`<div class="images">${shown}</div>`
  return card(panelId(`${title} of fields`), title, content)
}

const attached = Effect.fnUntraced(function* ({ type, row, request }: About) {
  const isSeen = yield* mayView(imageType)
  const mayAdd = yield* mayDo(imageType, "add")
  if (!isSeen && !mayAdd) return undefined
  const where = equalTo(imageType, { content_type: type.id, object_id: row.id })
  const page = { where, ordering: imageType.ordering, limit: imagesPerObject, offset: 0 }
  const images = isSeen ? yield* list(imageType, page) : []
  const mayDelete = yield* mayDo(imageType, "delete")
  const target = html`<input type="hidden" name="content_type" value="${type.id}" /><input
      type="hidden"
      name="object_id"
      value="${row.id}"
    />`
  return card(
    "images",
    "Images",
    html`${
      images.length === 0
        ? html`<p class="note">No image is attached.</p>`
        : html`<ul class="images">
            ${images.map((each) => entry(each, mayDelete))}
          </ul>`
    }
    ${
      mayAdd
        ? html`<details class="image-add">
            <summary>Attach an image</summary>
            ${imageForm(request, target)}
          </details>`
        : ""
    }`
  )
})

const titleOf = ({ name, image }: Image): string => name || image

interface Picture {
  readonly path: string
  readonly alt: string
  readonly width: number | undefined
  readonly height: number | undefined
}

/** Nothing is loaded before it is in sight; where the size is known, nothing moves then. */
const picture = ({ path, alt, width, height }: Picture): Html => {
  const size = width === undefined || height === undefined ? "" : html`width="${width}" height="${height}"`
  return html`<a href="${path}" target="_blank" rel="noopener"
    ><img class="attached" src="${path}" alt="${alt}" ${size} loading="lazy"
  /></a>`
}

const attachmentFolder = imageFieldsOf(imageType)[0]!.folder

const entry = (each: Image, mayDelete: boolean): Html =>
  html`<li>
    ${picture({ path: imagePath(attachmentFolder, each.id, each.image), alt: titleOf(each), width: each.image_width, height: each.image_height })}<span
      class="image-name"
      ><a href="${pathOf(imageType, each.id)}">${titleOf(each)}</a>${
        mayDelete
          ? html`<a class="btn btn-sm" href="${pathOf(imageType, each.id)}delete/" aria-label="Delete ${titleOf(each)}"
              >${icon("trash")}Delete</a
            >`
          : ""
      }</span
    >
  </li>`
