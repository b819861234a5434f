/** The images of an object, with a form that attaches another one; or the image that the object of the page is. */
import { Effect } from "effect"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import type { RowOf } from "../../inventory/Field.ts"
import { imageFieldsOf, imagePath } from "../../inventory/image/ImageField.ts"
import { imagesPerObject } from "../../inventory/image/StoredImages.ts"
import { list } from "../../inventory/read/Read.ts"
import type ImageAttachment from "../../inventory/types/extras/ImageAttachment.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { imageForm, imageType } from "../image/ImageForm.ts"
import { pathOf } from "../value/Title.ts"
import { type About, card, drawing } from "./Panel.ts"

type Image = Pick<RowOf<typeof ImageAttachment>, "id" | "name" | "image" | "image_width" | "image_height">

export default drawing("images", "side", ({ of }, about) =>
  of === "self" ? Effect.succeed(card("images", "Image", picture(about.row as Image))) : attached(about)
)

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

/** Nothing is loaded before it is in sight; the size is known, so nothing moves then. */
const picture = (each: Image): Html => {
  const path = imagePath(imageFieldsOf(imageType)[0]!.folder, each.id, each.image)
  return html`<a href="${path}" target="_blank" rel="noopener"
    ><img
      class="attached"
      src="${path}"
      alt="${titleOf(each)}"
      width="${each.image_width}"
      height="${each.image_height}"
      loading="lazy"
  /></a>`
}

const entry = (each: Image, mayDelete: boolean): Html =>
  html`<li>
    ${picture(each)}<span class="image-name"
      ><a href="${pathOf(imageType, each.id)}">${titleOf(each)}</a>${
        mayDelete
          ? html`<a class="btn btn-sm" href="${pathOf(imageType, each.id)}delete/" aria-label="Delete ${titleOf(each)}"
              >${icon("trash")}Delete</a
            >`
          : ""
      }</span
    >
  </li>`
