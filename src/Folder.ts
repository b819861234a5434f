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

/**
 * Loads modules of a folder, by one module that imports them all: for each dynamic import Node walks all modules that
 * are loaded already.
 */
export const loaded = async <Module>(
  folder: URL,
  modules: ReadonlyArray<string>
): Promise<ReadonlyArray<Partial<Module>>> => {
  const imports = modules.map((module, at) => `export * as m${at} from ${JSON.stringify(new URL(module, folder).href)}`)
  const source = `data:text/javascript,${encodeURIComponent(imports.join("\n"))}`
  const all = (await import(source)) as Readonly<Record<string, Partial<Module>>>
  return modules.map((_, at) => all[`m${at}`]!)
}

/** The default exports of modules of a folder; a module without one has no entry. */
export const entriesOf = async <A>(folder: URL, modules: ReadonlyArray<string>): Promise<ReadonlyArray<A>> => {
  const all = await loaded<{ readonly default: A | ReadonlyArray<A> }>(folder, modules)
  return all.flatMap((module) => module.default ?? [])
}
