/** The builder beside the JSON of a field: its words, and the place that `builder.js` fills. Without scripts the JSON remains. */
import { Effect } from "effect"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { Html, html } from "../Html.ts"
import type { Cells } from "../form/Cells.ts"
import { itemsOf } from "../form/Labels.ts"
import { conditionWords } from "./Conditions.ts"
import { constraintWords } from "./Constraints.ts"
import type { Vocabulary } from "./Vocabulary.ts"

interface Built {
  readonly type: string
  readonly field: string
  /** The field that has the object types. */
  readonly typesIn: string
  /** The field that names the source of these types, where that may be another than the inventory. */
  readonly sourceIn?: string
  /** `isOfSource`: the types are those of a source, whose objects are not in the inventory. */
  readonly words: (types: ReadonlyArray<ObjectType>, isOfSource: boolean) => Effect.Effect<Vocabulary>
}

/** The fields that have a builder, by the last part of the address of their words. */
export const builders: ReadonlyMap<string, Built> = new Map([
  [
    "conditions",
    {
      ...{ type: "extras.webhook", field: "conditions", typesIn: "content_types", sourceIn: "source" },
      words: (types: ReadonlyArray<ObjectType>, isOfSource: boolean) =>
        Effect.succeed(conditionWords(types, isOfSource))
    }
  ],
  [
    "constraints",
    { type: "users.objectpermission", field: "constraints", typesIn: "object_types", words: constraintWords }
  ]
])

/** The object types that a cell names; those that there are none of are left out. */
export const typesIn = (cell: string): ReadonlyArray<ObjectType> =>
  [...new Set(itemsOf(cell))].flatMap((id) => registry.get(id) ?? [])

/** The builders of a form by their field. */
export const buildersOf = Effect.fnUntraced(function* (type: string, cells: Cells) {
  const found = new Map<string, Html>()
  for (const [name, built] of builders) {
    if (built.type !== type) continue
    const words = yield* built.words(
      typesIn(cells[built.typesIn] ?? ""),
      built.sourceIn !== undefined && (cells[built.sourceIn] ?? "") !== ""
    )
    found.set(built.field, builder(name, built, words))
  }
  return found as ReadonlyMap<string, Html>
})

const builder = (name: string, { field, typesIn: types, sourceIn }: Built, words: Vocabulary): Html =>
  html`<div
    class="builder"
    data-builder="f-${field}"
    data-types-from="${types}"
    ${sourceIn === undefined ? "" : html`data-source-from="${sourceIn}"`}
    data-words="/help/builders/${name}/"
    hidden
  >
    <script type="application/json">
      ${asScript(words)}
    </script>
  </div>`

/** JSON that ends no script. */
const asScript = (value: unknown): Html => new Html(JSON.stringify(value).replaceAll("<", String.raw`\u003c`))
