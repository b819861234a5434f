/** The columns of a list: those that the reader chose, or the usual ones of the type. */
import type { Request } from "../../http/wire/Request.ts"
import { isLeftOut } from "../../inventory/image/ImageField.ts"
import { type ObjectType, nothing, perType } from "../../inventory/ObjectType.ts"
import { chosenColumns } from "./ChosenColumns.ts"
import { dressingOf } from "./Dressing.ts"

/** Most columns of a type beside its name, if the reader chose none. */
const usualMax = 7

/** Every column that a list of the type can have, in the order of the declaration. */
export const columnsOf = perType((type): ReadonlyArray<string> => [
  ...Object.entries(type.fields).flatMap(([name, { wire }]) => (wire === "both" || wire === "read" ? [name] : [])),
  ...Object.keys(type.derived).filter((name) => type.derived[name]!.isApart !== true),
  ...Object.keys(type.counts)
])

/** Values for programs: each says again what another one shows, or what the page of the object shows anyway. */
const forPrograms: ReadonlySet<string> = new Set(["_occupied", "_depth", "link_peers_type", "connected_endpoints_type"])

/** The columns without those for programs: the parts of a generic reference, and what no object has. */
export const shownColumns = perType((type): ReadonlyArray<string> => {
  const parts = new Set(
    Object.entries(type.fields).flatMap(([name, { generic }]) => (generic ? [name, generic.id] : []))
  )
  return columnsOf(type).filter(
    (name) =>
      !forPrograms.has(name) && !parts.has(name) && type.derived[name] !== nothing && name !== "count_fhrp_groups"
  )
})

const isShort = (type: ObjectType, name: string): boolean => {
  const field = type.fields[name]
  if (field === undefined) return true
  return (
    field.reference?.many !== true &&
    field.type !== "jsonb" &&
    !isLeftOut(field) &&
    !["comments", "created", "last_updated"].includes(name)
  )
}

/** None where a list has columns of its own; what the declaration says; else status first, then references, then other short fields; a description last. */
const usualColumns = perType((type) => {
  if (dressingOf(type.id) !== undefined) return []
  if (type.listed.length > 0) return type.listed
  const short = shownColumns(type).filter(
    (name) => !["name", "slug", "status", "description"].includes(name) && isShort(type, name)
  )
  const references = short.filter((name) => type.fields[name]?.reference !== undefined)
  const [status, description] = ["status", "description"].map((name) =>
    Object.hasOwn(type.fields, name) ? [name] : []
  )
  const others = new Set([...references, ...short])
  return [...status!, ...[...others].slice(0, usualMax - status!.length - description!.length), ...description!]
})

/**
 * The columns beside the first one, which shows each object's name. `?columns=status,region` chooses them; without it,
 * the choice that the reader made before.
 */
export const columnsAsked = (type: ObjectType, { url, incoming }: Request): ReadonlyArray<string> => {
  const known = (names: ReadonlyArray<string>) => [...new Set(names)].filter((name) => columnsOf(type).includes(name))
  const asked = known(url.searchParams.getAll("columns").flatMap((each) => each.split(",")))
  if (asked.length > 0) return asked
  const chosen = known(chosenColumns(incoming.cookies, type.id))
  return chosen.length > 0 ? chosen : usualColumns(type)
}
