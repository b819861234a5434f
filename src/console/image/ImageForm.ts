/** The form that attaches an image to an object. */
import type { Request } from "../../http/wire/Request.ts"
import { objectType } from "../../inventory/Registry.ts"
import type ImageAttachment from "../../inventory/types/extras/ImageAttachment.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"
import { accepted, imageHint } from "./ImageInputs.ts"

export const imageType = objectType<typeof ImageAttachment>("extras.imageattachment")

/**
 * `target`: the inputs that name the object. The token has to be the first field: the service reads it at the beginning
 * of the upload only.
 */
export const imageForm = (request: Request, target: Html, name = ""): Html =>
  html`<form
    class="object-form import-form"
    method="post"
    enctype="multipart/form-data"
    action="${pathOf(imageType)}add/"
    hx-boost="false"
  >
    ${csrfInput(request)}${target}
    <div class="form-row">
      <label for="i-file">Image</label>
      <div>
        <input class="field-in" type="file" id="i-file" name="image" required ${accepted} />
        <p class="sub">${imageHint}</p>
      </div>
    </div>
    <div class="form-row">
      <label for="i-name">Name</label>
      <div><input class="field-in" id="i-name" name="name" maxlength="50" value="${name}" /></div>
    </div>
    <div class="form-end">
      <button class="btn btn-sm btn-primary">${icon("upload")}Attach</button>
    </div>
  </form>`
