/** Files with routes, found by their folder: no list names them. */
import { loaded, modulesBelow } from "../../Folder.ts"
import type { Detail } from "../objects/Detail.ts"
import type { Route } from "../Route.ts"

interface RouteFile {
  readonly default: Route | ReadonlyArray<Route>
  /** More to show of single objects. */
  readonly details: ReadonlyArray<Detail>
}

/** A file in a folder of its own; one whose name ends in `Worker` is the program of a thread: loading it would run it. */
const mayHaveRoutes = (file: string): boolean => file.includes("/") && !/Worker\.\w+$/.test(file)

export const routeFiles = (folder: URL): Promise<ReadonlyArray<Partial<RouteFile>>> =>
  loaded<RouteFile>(folder, modulesBelow(folder).filter(mayHaveRoutes))
