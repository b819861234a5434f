/** The objects that refer to an object, counted by type and field, each with the way to its list. */
import { Effect } from "effect"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import type { Reference } from "../../inventory/Field.ts"
import { typesShownBy } from "../../inventory/page/Panel.ts"
import { typesNamed } from "../../inventory/field/Ends.ts"
import { literal } from "../../postgres/Literal.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { isNothing } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { fieldTitle, pathOf, pluralOf } from "./Title.ts"

interface Pointing {
  readonly type: ObjectType
  readonly field: string
  /** SQL that `t` refers to the object of the id $1. */
  readonly refers: string
}

/** The fields that may hold the id of an object of the type, and that filters may query. */
const pointingAt = perType((target): ReadonlyArray<Pointing> =>
  [...registry.values()].flatMap((type) =>
    Object.entries(type.fields).flatMap(([field, { reference, isFiltered, wire }]) =>
      reference !== undefined && typesNamed(reference).includes(target.id) && isFiltered && wire === "both"
        ? [{ type, field, refers: refersTo(type, field, reference, target) }]
        : []
    )
  )
)

const refersTo = (type: ObjectType, field: string, { many, ends }: Reference, target: ObjectType): string => {
  const column = `t.${type.columns[field]}`
  if (!many) return `${column} = $1::bigint`
  const ofType = ends === undefined ? "" : ` and t.${type.columns[ends.typeIn]} = ${literal(target.id)}`
  return `${column} @> array[$1::bigint]${ofType}`
}

/** Counts stop here. */
const countedMax = 1000

interface RelatedCount extends Pointing {
  readonly count: number
}

/** The types whose objects a panel of the page shows already. */
const ownPanels = perType(({ panels }): ReadonlySet<string> => new Set(panels.flatMap(typesShownBy)))

/** Counts the objects that the reader may see; leaves out what nothing points from. */
export const relatedTo = Effect.fnUntraced(function* (target: ObjectType, id: number) {
  const visible = yield* visibleToSender
  const pointing = pointingAt(target).filter(({ type }) => !isNothing(visible(type)))
  const counts = yield* countEach(
    pointing.map(({ type, refers }) => ({ type, where: { sql: refers, parameters: [`${id}`] } })),
    countedMax
  )
  return pointing.flatMap((each, at): ReadonlyArray<RelatedCount> =>
    counts[at] === 0 ? [] : [{ ...each, count: counts[at]! }]
  )
})

export type Related = ReadonlyArray<RelatedCount>

/** Whether the counts say that nothing of the type names the object in the field. */
export const namesNone = (related: Related, target: ObjectType, id: string, field: string): boolean =>
  pointingAt(target).some(({ type, field: own }) => type.id === id && own === field) &&
  !related.some(({ type, field: own }) => type.id === id && own === field)

/** Leaves out the types that a panel of the page shows. */
export const relatedCard = (all: Related, target: ObjectType, id: number): Html => {
  const related = all.filter(({ type }) => !ownPanels(target).has(type.id))
  return related.length === 0
    ? html``
    : html`<section class="card" aria-labelledby="related">
        <div class="ch"><h2 id="related">Related objects</h2></div>
        <ul class="rel">
          ${related.map(
            ({ type, field, count }) =>
              html`<li>
                <a href="${pathOf(type)}?${field}_id=${id}"
                  >${pluralOf(type)}${isUsual(type, field, related) ? "" : html`<span class="sub">&nbsp;by ${fieldTitle(field).toLowerCase()}</span>`}<span
                    class="cnt"
                    >${count < countedMax ? count : `${countedMax} or more`}</span
                  ></a
                >
              </li>`
          )}
        </ul>
      </section>`
}

/** Whether the type points here with this field alone. */
const isUsual = (type: ObjectType, field: string, related: Related): boolean =>
  related.every((each) => each.type !== type || each.field === field)
