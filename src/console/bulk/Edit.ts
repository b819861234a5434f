/** The change that the form of a bulk edit requests: only fields that are filled in or set empty, and tags. */
import { Effect } from "effect"
import type { Errors, Field, Row } from "../../inventory/Field.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { list } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { among, anyOf, whereIds } from "../../inventory/derive/filter/Where.ts"
import { brokenCells } from "../fault/BrokenJson.ts"
import { bodyOf, withPlainBreaks } from "../form/Cells.ts"
import { formOf } from "../form/FormField.ts"

/** Fields that several objects may be given at once: no unique ones, no images, and tags apart. */
export const bulkFields = perType((type): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(type.fields).filter(
    ([name, { wire, unique, imageFolder }]) =>
      (wire === "both" || wire === "write") && !unique && imageFolder === undefined && name !== "tags"
  )
)

/** Whether the field may be set empty. */
export const mayBeEmpty = ({ wire, nullable, reference, type, choices, initial }: Field): boolean =>
  wire === "both" &&
  (nullable ||
    reference?.many === true ||
    type.endsWith("[]") ||
    (type === "text" && choices === undefined && initial !== undefined))

/** Before the name of a field in the form, so that no field takes the name of another input. */
export const fieldPrefix = "set-"

export const [addTags, removeTags] = ["add-tags", "remove-tags"] as const

/** The inputs of the form that say what to change. */
export const editInputs = (form: URLSearchParams): ReadonlyArray<readonly [name: string, value: string]> =>
  [...form].filter(
    ([name, value]) => value !== "" && (name.startsWith(fieldPrefix) || ["empty", addTags, removeTags].includes(name))
  )

interface Edit {
  /** The same for each object, without tags. */
  readonly body: Readonly<Record<string, unknown>>
  /** The tags that an object is to have; undefined if the form has no tags. */
  readonly tagsOf: ((row: Row) => ReadonlyArray<number>) | undefined
  /** The fields that may change. */
  readonly fields: ReadonlyArray<string>
}

/** Reads the form; `errors` by input are those of tags that there are none of, and of broken JSON. */
export const editOf = Effect.fnUntraced(function* (type: ObjectType, form: URLSearchParams) {
  const known = new Map(bulkFields(type))
  const given = [...form].flatMap(([name, value]): Array<readonly [string, string]> => {
    const field = name.startsWith(fieldPrefix) ? name.slice(fieldPrefix.length) : ""
    return known.has(field) && value.trim() !== "" ? [[field, withPlainBreaks(value)]] : []
  })
  const empty = form.getAll("empty").filter((name) => known.has(name) && mayBeEmpty(known.get(name)!))
  const filled = given.filter(([name]) => !empty.includes(name))
  const cells = { ...Object.fromEntries(filled), ...Object.fromEntries(empty.map((name) => [name, ""])) }
  // Cells without a value count as changed from some value.
  const before = Object.fromEntries(empty.map((name) => [name, "x"]))
  const plain = formOf(type, [])
  const body = bodyOf(plain, before, cells) as Edit["body"]
  const [added, removed] = [yield* tagsNamed(form.get(addTags)), yield* tagsNamed(form.get(removeTags))]
  const errors: Errors = {
    ...brokenCells(plain, {}, cells),
    ...wrong(addTags, added.unknown),
    ...wrong(removeTags, removed.unknown)
  }
  const asksForTags = Object.hasOwn(type.fields, "tags") && added.ids.length + removed.ids.length > 0
  const tagsOf = (row: Row) => {
    const tags = Array.isArray(row["tags"]) ? (row["tags"] as ReadonlyArray<number>) : []
    return [...new Set([...tags, ...added.ids])].filter((id) => !removed.ids.includes(id))
  }
  const edit: Edit = {
    body,
    tagsOf: asksForTags ? tagsOf : undefined,
    fields: [...Object.keys(cells), ...(asksForTags ? ["tags"] : [])]
  }
  return { edit, errors }
})

const wrong = (input: string, unknown: ReadonlyArray<string>): Errors =>
  unknown.length === 0 ? {} : { [input]: [`There is no tag ${unknown.slice(0, 10).join(", ")}.`] }

const tagType = objectType("extras.tag")

/** Most tags that one input may name. */
const tagsMax = 100

/** The tags that a text names, by id or slug, with commas between. */
const tagsNamed = Effect.fnUntraced(function* (text: string | null) {
  const named = [...new Set((text ?? "").split(",").map((each) => each.trim()))].filter((each) => each !== "")
  if (named.length === 0) return { ids: [], unknown: [] }
  const ids = named.filter((each) => /^\d{1,15}$/.test(each)).map(Number)
  const where = anyOf(among(tagType, "slug", named.slice(0, tagsMax)), whereIds(ids))
  const tags = yield* list(tagType, { where, ordering: [], limit: undefined, offset: 0 })
  const found = new Map(tags.flatMap((tag) => [[String(tag["slug"]), tag.id] as const, [`${tag.id}`, tag.id] as const]))
  return {
    ids: named.flatMap((each) => found.get(each) ?? []),
    unknown: named.filter((each) => !found.has(each))
  }
})
