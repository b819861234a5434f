/**
 * The object types: one per file under `types/`. The folder is scanned, so a new file needs no registration.
 */
import { readdirSync } from "node:fs"
import { extname } from "node:path"
import type { ObjectType } from "./ObjectType.ts"

// TypeScript in a clone, JavaScript in the package: like this module.
const extension = extname(import.meta.url)
const folder = new URL("./types/", import.meta.url)

const load = async (): Promise<ReadonlyMap<string, ObjectType>> => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(extension))
    .sort()
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, folder).href) as Promise<{ readonly default: ObjectType }>)
  )
  const types = new Map(modules.map((module) => [module.default.id, module.default]))
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
