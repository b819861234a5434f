/** The surface of NetBox 3.5 against ours: endpoints and fields that are missing, and the reasons. Pure. */
import { readFileSync } from "node:fs"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { registry } from "../../src/inventory/Registry.ts"

const factsIn = <A>(file: string): A => JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as A

/** Read from the URLs and views of NetBox 3.5.9. */
export const netboxPaths = factsIn<ReadonlyArray<string>>("netbox-paths.json")

/** The fields that each list of objects shows, by its path; read from the serializers of NetBox 3.5.9. */
export const surface: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries(factsIn<Readonly<Record<string, string>>>("netbox-surface.json")).map(([path, names]) => [
    path,
    names.split(" ").filter(Boolean)
  ])
)

const typesByPath: ReadonlyMap<string, ObjectType> = new Map([...registry.values()].map((type) => [type.path, type]))

export interface TypeFields {
  readonly path: string
  /** The fields of NetBox that objects here do not show. */
  readonly missing: ReadonlyArray<string>
  /** Fields that are shown and are always null. */
  readonly empty: ReadonlyArray<string>
  /** How many fields of NetBox are shown with values. */
  readonly shown: number
}

/** The fields of the object types that both have. */
export const typeFields: ReadonlyArray<TypeFields> = [...surface].flatMap(
  ([path, names]): ReadonlyArray<TypeFields> => {
    const type = typesByPath.get(path)
    if (type === undefined) return []
    const { fields, derived, counts, pointedBy } = type
    const written = Object.keys(fields).filter((name) => fields[name]!.wire !== "none")
    const others = [derived, counts, pointedBy].flatMap((each) => Object.keys(each))
    const own = new Set(["id", "url", "display", ...written, ...others])
    const missing = names.filter((name) => !own.has(name))
    const empty = names.filter((name) => derived[name]?.shape.kind === "nothing")
    return [{ path, missing, empty, shown: names.length - missing.length - empty.length }]
  }
)

/** Reasons by the paths, and by the fields as `/api/dcim/devices/.config_context`. The first that matches counts. */
const reasons: ReadonlyArray<readonly [pattern: RegExp, reason: string]> = [
  [/^\/api\/core\//, "no files or repositories are synchronised, and there are no jobs"],
  [/config-(contexts|templates)/, "nothing is synchronised from files or repositories"],
  [/export-templates\/(\{id\}\/sync\/|\.data_)/, "no files or repositories are synchronised"],
  [/\/(reports|scripts)\//, "no code of users runs in the service"],
  [/dashboard/, "the home page of the console is the same for everybody"],
  [/type_job_(start|end)$/, "there are no jobs"],
  [/redoc/, "the description has one page, `/api/schema/swagger-ui/`"],
  [/graphql/, "lists and `fields` answer the same questions"]
]

/** Why a path or a field is missing; undefined if no reason is known. */
export const reasonOf = (missing: string): string | undefined => reasons.find(([pattern]) => pattern.test(missing))?.[1]

/** Patterns of reasons that no missing path or field needs any more. */
export const needlessReasons = (missing: ReadonlyArray<string>): ReadonlyArray<string> => {
  const used = new Set(missing.map(reasonOf))
  return reasons.filter(([, reason]) => !used.has(reason)).map(([pattern]) => String(pattern))
}
