/** Every filter that a type knows, by name; for documents, and for tests that try them all. */
import type { ObjectType } from "../../ObjectType.ts"
import { isKnown } from "./Filter.ts"
import { everySuffix } from "./Lookup.ts"
import { networkNames } from "./Network.ts"
import { pathsOf } from "./Path.ts"

const general = ["id", "q", "tag", "created_by_request", "updated_by_request", "modified_by_request"]

export const filterNames = (type: ObjectType): ReadonlyArray<string> => {
  const own = Object.entries(type.fields).flatMap(([name, { reference }]) =>
    reference === undefined ? [name] : [name, `${name}_id`]
  )
  const others = Object.keys(pathsOf(type)).flatMap((name) => [name, `${name}_id`])
  const bases = new Set([...general, ...own, ...others, ...Object.keys(type.asked), ...networkNames(type)])
  return [...bases].flatMap((base) =>
    ["", ...everySuffix]
      .map((suffix) => (suffix === "" ? base : `${base}__${suffix}`))
      .filter((name) => isKnown(type, name))
  )
}
