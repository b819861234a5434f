/** The fields of an object and their values. */
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import { columnsOf } from "../list/Columns.ts"
import { attribute } from "../value/Value.ts"

/** Fields that have a place of their own. */
const apart: ReadonlySet<string> = new Set(["comments", "custom_fields"])

/** `shown`: the object's representation. */
export const attributesCard = (type: ObjectType, shown: Readonly<Record<string, unknown>>): Html =>
  html`<section class="card" aria-labelledby="attributes">
    <div class="ch"><h2 id="attributes">Attributes</h2></div>
    <dl class="attrs">
      ${columnsOf(type)
        .filter((name) => !apart.has(name) && !Object.hasOwn(type.counts, name))
        .map((name) => attribute(name, shown[name]))}
    </dl>
  </section>`
