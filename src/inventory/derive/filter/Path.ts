/**
 * Conditions about other objects, along references in both directions: `device/site/region` from an interface.
 *
 * A step is the name of a reference, `assigned_object:dcim.interface` for a generic reference to that type, or
 * `<dcim.interface.device` for the objects that refer to this one. `=location` at the end means without descendants. Postgres computes the ids of each step once, so that
 * every step can use an index.
 *
 * Each step reads only visible objects, so a filter reveals nothing about hidden ones.
 */
import { type ObjectType, columnOf, fieldOf, perType } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { emptyRecord } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import { type Comparand, type CompiledLookup, kindOf } from "./Lookup.ts"
import { type Bind, type Visible, visibleRows } from "./Where.ts"

/** The type that a step leads to, its SQL to select, and SQL that an object here has one of the selected ids. */
interface Step {
  readonly target: ObjectType
  readonly selected: (alias: string) => string
  /** Which of the objects there count. */
  readonly where?: (alias: string) => string
  readonly among: (alias: string, ids: string) => string
}

const idOf = (alias: string): string => `${alias}.id`

/** Parses a step from a type; undefined if there is no such step. */
const stepFrom = (type: ObjectType, text: string): Step | undefined => {
  const back = /^<(\w+\.\w+)\.(\w+)$/.exec(text)
  if (back !== null) return stepBack(type, objectType(back[1]!), back[2]!)
  const [name = "", pointed] = text.split(":")
  if (pointed !== undefined) {
    const among = (alias: string, ids: string) =>
      `(${alias}.${name}_type = ${literal(pointed)} and ${alias}.${name}_id = any (array${ids}))`
    return { target: objectType(pointed), selected: idOf, among }
  }
  const reference = Object.hasOwn(type.fields, name) ? type.fields[name]?.reference : undefined
  if (reference === undefined) return undefined
  const column = type.columns[name]
  const { ends } = reference
  const among = (alias: string, ids: string) => {
    if (!reference.many) return `${alias}.${column} = any (array${ids})`
    const named = `${alias}.${column} && array${ids}`
    return ends === undefined
      ? named
      : `(${alias}.${type.columns[ends.typeIn]} = ${literal(reference.type)} and ${named})`
  }
  return { target: objectType(reference.type), selected: idOf, among }
}

/** The step to the objects of `target` that refer to one of the type, by a reference, a list of them or a generic one. */
const stepBack = (type: ObjectType, target: ObjectType, name: string): Step => {
  const among = (alias: string, ids: string) => `${alias}.id = any (array${ids})`
  const id = `${name}_id`
  const generic = Object.keys(target.fields).find((field) => target.fields[field]?.generic?.id === id)
  if (generic !== undefined) {
    const where = (alias: string) => `${alias}.${columnOf(target, generic)} = ${literal(type.id)}`
    return { target, selected: (alias) => `${alias}.${columnOf(target, id)}`, where, among }
  }
  const column = columnOf(target, name)
  const many = fieldOf(target, name).reference?.many === true
  return { target, selected: (alias) => (many ? `unnest(${alias}.${column})` : `${alias}.${column}`), among }
}

/** The type at the end of the steps. */
export const destination = (type: ObjectType, steps: ReadonlyArray<string>): ObjectType | undefined =>
  steps.reduce<ObjectType | undefined>(
    (there, step) => (there === undefined ? undefined : stepFrom(there, step)?.target),
    type
  )

/** Which objects the steps may read, and where parameters go. */
export interface Reach {
  readonly visible: Visible
  readonly bind: Bind
  /** The conditions of the filters so far. */
  readonly others?: ReadonlyArray<string>
}

/** The condition that the steps lead to an object that meets the condition of `leaf` on the last type. */
export const along = (
  type: ObjectType,
  alias: string,
  steps: ReadonlyArray<string>,
  reach: Reach,
  leaf: (type: ObjectType, alias: string) => CompiledLookup
): CompiledLookup => {
  if (steps.length === 0) return leaf(type, alias)
  const step = stepFrom(type, steps[0]!)
  if (step === undefined) return undefined
  const next = `${alias}_`
  const inner = along(step.target, next, steps.slice(1), reach, leaf)
  if (typeof inner !== "string") return inner
  const rows = visibleRows(step.target, reach.visible, reach.bind)
  const where = step.where === undefined ? inner : `${step.where(next)} and ${inner}`
  return step.among(alias, `(select ${step.selected(next)} from ${rows} ${next} where ${where})`)
}

/** Most steps of a path that is derived rather than declared. */
const depthMax = 3

/**
 * The paths of a type by the names of filters: those that it declares, and those derived by following references.
 * `region` of a device is that of its site; a reference that is not named like its type gets the name of the
 * step before it as a prefix (`site_group`, `cluster_type`). The shortest path wins, then the first in the declaration.
 */
export const pathsOf = perType((type): Readonly<Record<string, string | ReadonlyArray<string>>> => {
  const paths = emptyRecord<string>()
  let ends: ReadonlyArray<End> = [{ path: "", last: "", type }]
  for (let depth = 0; depth < depthMax; depth++) {
    ends = ends.flatMap((end) =>
      pointing(end.type).map(([name, target]) => {
        const told = name.replaceAll("_", "") === target.name ? name : `${end.last}_${name}`
        const taken = depth === 0 || name === "parent" || Object.hasOwn(type.fields, told) || Object.hasOwn(paths, told)
        if (!taken) paths[told] = `${end.path}${name}`
        return { path: `${end.path}${name}/`, last: name, type: target }
      })
    )
  }
  return { ...paths, ...type.paths }
})

/** A path along references, and the last of them. */
interface End {
  readonly path: string
  readonly last: string
  readonly type: ObjectType
}

const pointing = (type: ObjectType): ReadonlyArray<readonly [name: string, target: ObjectType]> =>
  Object.entries(type.fields).flatMap(([name, { reference, wire }]) =>
    reference === undefined || reference.many || wire !== "both" ? [] : [[name, objectType(reference.type)] as const]
  )

/** Whether objects of the type form a tree. */
export const isTree = (type: ObjectType): boolean => type.fields["parent"]?.reference?.type === type.id

/**
 * Whether objects of the type are a tree that others are sorted into, such as regions: filters find what is below one,
 * and lists show each after its parent. Components of devices are parts, and are not such a tree.
 */
export const isTaxonomy = (type: ObjectType): boolean => isTree(type) && Object.hasOwn(type.fields, "slug")

/** The field by which people name an object of the type in a filter. */
export const naturalKey = (type: ObjectType): string =>
  type.key ?? ["slug", "username", "name"].find((name) => Object.hasOwn(type.fields, name)) ?? "id"

/** A field as the left side of a comparison. */
export const comparandOf = (type: ObjectType, alias: string, name: string): Comparand => {
  const field = fieldOf(type, name)
  const isLowered = type.unique.some(({ ignoreCase }) => ignoreCase?.[0] === name)
  return { kind: kindOf(field) ?? "text", sql: `${alias}.${type.columns[name]}`, type: field.type, field, isLowered }
}
