/**
 * console: the pages for people.
 *
 * Responsible for: every HTML page of the service. Guarantees: text in a page is escaped; a page is a route like those
 * of the API, so `http` admits its reader first. Does not: read or write data by ways that the API does not have.
 *
 * Each feature has a folder with its pages and their parts. A file whose default export is a route, or several, is a
 * page; this module finds them, and no list names them.
 */
import { entriesOf, modulesBelow } from "../Folder.ts"
import type { Route } from "../http/Route.ts"

const folder = new URL("./", import.meta.url)

/** A file of a feature; compiled, pages are JavaScript like the scripts of the browser among the assets. */
const mayBePage = (file: string): boolean => file.includes("/") && !/^(asset|panel)\//.test(file)

/** The routes of all pages. */
export const pages: ReadonlyArray<Route> = await entriesOf<Route>(folder, modulesBelow(folder).filter(mayBePage))
