/**
 * The object types: one per file under `types/`, its default export. The folder is scanned, so a new file needs no
 * registration; a file without a default export has a part of a type.
 */
import { entriesOf, modulesBelow } from "../Folder.ts"
import type { ObjectType } from "./ObjectType.ts"

const folder = new URL("./types/", import.meta.url)

const load = async (): Promise<ReadonlyMap<string, ObjectType>> => {
  const declared = await entriesOf<ObjectType>(folder, modulesBelow(folder))
  const types = new Map(declared.map((type) => [type.id, type]))
  for (const type of types.values()) {
    for (const [name, { reference }] of Object.entries(type.fields)) {
      if (reference === undefined || types.has(reference.type)) continue
      throw new Error(`${type.id}.${name} points at an object type that is not declared: ${reference.type}`)
    }
  }
  return types
}

/** Object types by id (`dcim.site`). */
export const registry: ReadonlyMap<string, ObjectType> = await load()

/** The object type of an id that is known to be declared: `objectType<typeof Webhook>("extras.webhook")`. */
export const objectType = <T extends ObjectType = ObjectType>(id: string): T => {
  const type = registry.get(id)
  if (type === undefined) throw new Error(`no object type ${id}`)
  return type as T
}
