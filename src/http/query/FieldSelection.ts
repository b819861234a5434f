/** The part of an object that an answer shows: all fields, some, all but some, or the brief representation. Pure. */
import type { Row, View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Json, brief, representation } from "../../inventory/derive/represent/Representation.ts"
import { parameterOf } from "./Parameter.ts"

export type FieldSelection = (row: Row, view: View) => Json

/** `fields` overrides `omit`, and that overrides `brief`. Unknown names are ignored. */
export const fieldSelectionOf = (type: ObjectType, query: URLSearchParams): FieldSelection => {
  const only = names(parameterOf(query, "fields"))
  const omitted = names(parameterOf(query, "omit"))
  if (only.size > 0) return picked(type, (name) => only.has(name))
  if (omitted.size > 0) return picked(type, (name) => !omitted.has(name))
  const represent = parameterOf(query, "brief") ? brief : representation
  return (row, view) => represent(type, row, view)
}

/** Whether an answer shows a field that is read by itself: `exclude` names it, or the selection leaves it out. */
export const selects = (query: URLSearchParams, name: string): boolean => {
  if (names(parameterOf(query, "exclude")).has(name)) return false
  const only = names(parameterOf(query, "fields"))
  if (only.size > 0) return only.has(name)
  const omitted = names(parameterOf(query, "omit"))
  return omitted.size > 0 ? !omitted.has(name) : !parameterOf(query, "brief")
}

const names = (text: string | undefined): ReadonlySet<string> =>
  new Set(text?.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])))

const picked =
  (type: ObjectType, wanted: (name: string) => boolean): FieldSelection =>
  (row, view) =>
    Object.fromEntries(Object.entries(representation(type, row, view)).filter(([name]) => wanted(name)))
