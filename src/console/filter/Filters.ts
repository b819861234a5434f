/** Filters of a list: a chip for each that is set, and a form for every filter that the type accepts. */
import { Effect } from "effect"
import { sourceTypeId } from "../../event/SourceType.ts"
import { type SourceRow, readableSources } from "../../history/source/SourceNames.ts"
import type { Field } from "../../inventory/Field.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { filterNames } from "../../inventory/derive/filter/FilterNames.ts"
import { customPrefix } from "../../inventory/derive/filter/CustomFieldFilter.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { customFieldsOf } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { controlsOf, filtersOf, without, withoutFilters } from "../list/Query.ts"
import { type NamedObjects, pickedFields } from "./NamedObjects.ts"
import { isByKey, referenceFilter } from "./ReferenceFilter.ts"
import { filterTitle, filterValue, lookupNames, lookupTitle, subjectTitle } from "./FilterName.ts"
import { capital, fieldTitle, nameOf, titleOfType } from "../value/Title.ts"

/** A filter as people read it, with the name of the object that it names. */
export const filterText = (type: ObjectType, named: NamedObjects, name: string, value: string): string => {
  const label = named.label(name, value)
  const title = filterTitle(label === undefined ? name : name.replace(/_id(?=__|$)/, ""))
  return `${title}: ${label ?? filterValue(type, name, value)}`
}

/** One chip for each filter that is set; a click removes it. */
export const chips = (type: ObjectType, query: URLSearchParams, named: NamedObjects): Html => {
  const filters = [...filtersOf(query)]
  return html`${filters.map(
    ([name, value]) =>
      html`<a class="chip-f" href="${without(query, name, value)}"
        ><span class="visually-hidden">Remove filter </span>${filterText(type, named, name, value)}${icon("x")}</a
      >`
  )}${filters.length > 1 ? html`<a class="chip-clear" href="${withoutFilters(query)}">Clear all</a>` : ""}`
}

/** Fields that the form shows first: their value is short, and people know it. */
const asked = perType((type): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(type.fields).filter(
    ([name, field]) =>
      field.isFiltered &&
      (field.wire === "both" || field.wire === "read") &&
      (field.choices !== undefined ||
        field.type === "boolean" ||
        field.type === "text" ||
        field.reference !== undefined) &&
      name !== "comments"
  )
)

/** Subjects of the type's filters, without lookups. */
const subjects = perType((type): ReadonlyArray<string> =>
  filterNames(type)
    .filter((name) => !name.includes("__") && name !== "q")
    .sort()
)

/** Parameters of the row for any filter: together they are one filter, as `askedFilter` reads them. */
const [subject, lookup, wanted] = ["_field", "_lookup", "_value"]

/** The query with the filter of the form's row in place of the row; undefined if the row is empty. */
export const askedFilter = (query: URLSearchParams): URLSearchParams | undefined => {
  if (![subject, lookup, wanted].some((name) => query.has(name!))) return undefined
  const next = new URLSearchParams([...query].filter(([name]) => ![subject, lookup, wanted].includes(name)))
  const [base, suffix, value] = [subject, lookup, wanted].map((name) => query.get(name!) ?? "")
  if (base !== "" && value !== "") next.append(suffix === "" ? base! : `${base}__${suffix}`, value!)
  return next
}

/** `path`: the list that the filters are for; `named`: the objects that its query names. */
export const filterForm = Effect.fnUntraced(function* (
  type: ObjectType,
  path: string,
  query: URLSearchParams,
  named: NamedObjects
) {
  const custom = yield* customFieldsOf(type)
  const sources = hasTypes(type) ? yield* readableSources : []
  const others = custom.map((field) => `${customPrefix}${String(field["name"])}`)
  const picked = new Set(pickedFields(type))
  const names = asked(type).flatMap(([name]) =>
    picked.has(name) ? [`${name}_id`, ...(isByKey(name, query) ? [name] : [])] : [name]
  )
  const shown = new Set([...names, ...extraNames(type)])
  // Filters that the form has no control for stay as they are.
  const kept = [...controlsOf(query), ...[...filtersOf(query)].filter(([name]) => !shown.has(name))]
  return html`<details class="filters">
    <summary class="btn btn-sm">
      ${icon("filter")}Filters${filtersOf(query).size > 0 ? html`<span class="cnt">${filtersOf(query).size}</span>` : ""}
    </summary>
    <form method="get" action="${path}">
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${asked(type).map(([name, field]) => (picked.has(name) ? referenceFilter(type, name, query, named) : control(type, name, field, query, sources)))}${extras(type, query)}
      <details class="filter-any">
        <summary>Any other filter</summary>
        ${anyFilter([...others, ...subjects(type)])}
      </details>
      <div class="end">
        <button class="btn btn-sm btn-primary">Apply</button>
        <a class="btn btn-sm" href="${withoutFilters(query)}">Clear</a>
      </div>
    </form>
  </details>`
})

/** Filters of a log that no field has: a span of days, and searches in what its rows are about. */
const spans = [
  ["time__gte", "From"],
  ["time__lt", "Before"]
] as const

const searches = perType((type) => Object.keys(type.asked).filter((name) => type.asked[name]!.of === "search"))

/** Whether the rows of the type are of a time. */
const isLog = ({ daily, isAppendOnly }: ObjectType): boolean => daily || isAppendOnly

const extraNames = (type: ObjectType): ReadonlyArray<string> => [
  ...(isLog(type) ? spans.map(([name]) => name) : []),
  ...searches(type)
]

const extras = (type: ObjectType, query: URLSearchParams): Html => {
  const input = (name: string, title: string, kind: "date" | "text") => {
    const value = query.get(name) ?? ""
    // A time of day stays as it is.
    const isDay = value === "" || /^\d{4}-\d\d-\d\d$/.test(value)
    return html`<label
      >${title}<input
        class="field-in"
        type="${kind === "date" && isDay ? "date" : "text"}"
        name="${name}"
        value="${value}"
        maxlength="1000"
    /></label>`
  }
  return html`${isLog(type) ? spans.map(([name, title]) => input(name, title, "date")) : ""}
  ${searches(type).map((name) => input(name, fieldTitle(name), "text"))}`
}

const anyFilter = (names: ReadonlyArray<string>): Html =>
  html`<div class="filter-row">
    <label
      >Field<select class="field-in" name="${subject!}">
        <option value="">—</option>
        ${names.map((name) => html`<option value="${name}">${subjectTitle(name)}</option>`)}
      </select></label
    >
    <label
      >Lookup<select class="field-in" name="${lookup!}">
        ${lookupNames.map((name) => html`<option value="${name}">${lookupTitle(name)}</option>`)}
      </select></label
    >
    <label>Value<input class="field-in" name="${wanted!}" maxlength="1000" autocomplete="off" /></label>
  </div>`

/** The object types of which a log may have rows, by their name; those of one name with their group of the menu. */
const typeOptions: Readonly<Record<string, string>> = Object.fromEntries(
  [...Map.groupBy(registry.values(), nameOf)]
    .flatMap(([name, types]) =>
      types.map((type) => [type, types.length === 1 ? capital(name) : `${capital(name)} (${groupOf(type)})`] as const)
    )
    .filter(([{ kind }]) => kind === "object")
    .map(([{ id }, title]) => [id, title] as const)
    .sort(([, a], [, b]) => (a < b ? -1 : 1))
)

/** Whether the rows of the type are about objects of any type. */
const hasTypes = ({ daily, fields }: ObjectType): boolean =>
  daily && Object.values(fields).some(({ describes }) => describes !== undefined)

const control = (
  of: ObjectType,
  name: string,
  field: Field,
  query: URLSearchParams,
  sources: ReadonlyArray<SourceRow>
): Html => {
  const { choices, type, reference, describes } = field
  const values = query.getAll(name)
  const options =
    choices ??
    (of.daily && describes !== undefined ? typeOptions : undefined) ??
    (type === "boolean" ? { true: "Yes", false: "No" } : undefined)
  const title = fieldTitle(name)
  if (options === undefined) {
    const hint = reference === undefined ? "" : fieldTitle(naturalKey(objectType(reference.type)))
    // Several values of one filter are alternatives: each keeps a field of its own.
    return html`${(values.length === 0 ? [""] : values).map(
      (value) =>
        html`<label
          >${title}<input class="field-in" name="${name}" value="${value}" placeholder="${hint}" maxlength="1000"
        /></label>`
    )}`
  }
  const isMany = values.length > 1
  return html`<label
    >${title}<select
      class="field-in"
      name="${name}"
      ${isMany ? html`multiple size="${Object.keys(options).length}"` : ""}
    >
      ${isMany ? "" : html`<option value="">Any</option>`}
      ${Object.entries(options).map(([key, label]) => option(key, label, values))}${options === typeOptions ? sources.map((source) => typesOf(source, values)) : ""}
    </select></label
  >`
}

const option = (key: string, label: string, values: ReadonlyArray<string>): Html =>
  html`<option value="${key}" ${values.includes(key) ? html` selected` : ""}>${label}</option>`

/** The types of a source as its group of options. */
const typesOf = ({ id: source, name, object_types: types }: SourceRow, values: ReadonlyArray<string>): Html =>
  html`<optgroup label="${name}">
    ${types.map((type) => option(sourceTypeId({ source, type }), titleOfType(type), values))}
  </optgroup>`
