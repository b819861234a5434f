/**
 * The routes of the API: those of each object type, and those of the files beside this module. Such a file has a route, or
 * several, as its default export; and more to show of single objects as `details`.
 */
import { Layer } from "effect"
import { routeFiles } from "./declare/Discovered.ts"
import { Imports } from "./files/ImportFile.ts"
import { objectRoutes } from "./objects/Objects.ts"
import { HeavyRequests } from "./objects/HeavyRequests.ts"
import type { Route } from "./Route.ts"
import { TryOutLimits } from "./webhooks/TryOutLimits.ts"

/** The services that requests to these routes share within a process. */
export const apiLayer = Layer.mergeAll(HeavyRequests.layer, Imports.layer, TryOutLimits.layer)

const files = await routeFiles(new URL("./", import.meta.url))

export const apiRoutes: ReadonlyArray<Route> = [
  ...objectRoutes(files.flatMap(({ details = [] }) => details)),
  ...files.flatMap(({ default: routes = [] }) => routes)
]
