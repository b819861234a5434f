/** The form that allocates the next free prefix or address of a network. */
import type { Request } from "../../http/wire/Request.ts"
import { type Network, widthOf } from "../../inventory/field/Network.ts"
import { prefixType } from "../../inventory/read/Spaces.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { pathOf } from "../value/Title.ts"

/** The usual length of a child, by family. */
const usualLength = { 4: 24, 6: 64 } as const

/** How much longer a child is where the network has that length itself. */
const longerBy = 4

export const allocateForm = (
  request: Request,
  id: number,
  { family, length }: Network,
  mayAdd: { readonly prefix: boolean; readonly address: boolean }
): Html => {
  const width = widthOf(family)
  const usual = length < usualLength[family] ? usualLength[family] : Math.min(width, length + longerBy)
  if (!mayAdd.prefix && !mayAdd.address) return html``
  return html`<form class="allocate" method="post" action="${pathOf(prefixType, id)}allocate/">
    ${csrfInput(request)}
    ${
      mayAdd.prefix && length < width
        ? html`<label
              >Length<input
                class="field-in"
                type="number"
                name="length"
                min="${length + 1}"
                max="${width}"
                value="${usual}"
                required
            /></label>
            <button class="btn btn-sm" name="what" value="prefix">Allocate the next free prefix</button>`
        : ""
    }
    ${mayAdd.address ? html`<button class="btn btn-sm" name="what" value="address" formnovalidate>Allocate the next free address</button>` : ""}
  </form>`
}
