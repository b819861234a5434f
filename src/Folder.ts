/** Entries that are found by their folder: a file whose default export is one, or several. No list names them. */
import { readdirSync } from "node:fs"
import { extname } from "node:path"

// TypeScript in a clone, JavaScript in the package: like this module.
const extension = extname(import.meta.url)

/** The modules below a folder, as paths from there, in their order. */
export const modulesBelow = (folder: URL): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(extension))
    .sort()

/** The default exports of modules of a folder; a module without one has no entry. */
export const entriesOf = async <A>(folder: URL, modules: ReadonlyArray<string>): Promise<ReadonlyArray<A>> => {
  const loaded = await Promise.all(
    modules.map(
      (module) => import(new URL(module, folder).href) as Promise<{ readonly default?: A | ReadonlyArray<A> }>
    )
  )
  return loaded.flatMap((module) => module.default ?? [])
}
