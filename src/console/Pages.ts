/**
 * console: the pages for people.
 *
 * Responsible for: every HTML page of the service. Guarantees: text in a page is escaped; a page is a route like those
 * of the API, so `http` admits its reader first. Does not: read or write data by ways that the API does not have.
 *
 * Each feature has a folder with its pages and their parts. A file whose default export is a route, or several, is a
 * page; this module finds them, and no list names them.
 */
import { readdirSync } from "node:fs"
import { extname } from "node:path"
import type { Route } from "../http/Route.ts"

// TypeScript in a clone, JavaScript in the package: like this module.
const extension = extname(import.meta.url)
const folder = new URL("./", import.meta.url)

const load = async (): Promise<ReadonlyArray<Route>> => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.includes("/") && file.endsWith(extension))
    .sort()
  const modules = await Promise.all(
    files.map(
      (file) => import(new URL(file, folder).href) as Promise<{ readonly default?: Route | ReadonlyArray<Route> }>
    )
  )
  return modules.flatMap((module) => module.default ?? [])
}

/** The routes of all pages. */
export const pages: ReadonlyArray<Route> = await load()
