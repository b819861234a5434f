/** The roots of the API: the addresses of its apps, and of what each app has. */
import { Effect } from "effect"
import { registry } from "../../inventory/Registry.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { each, record, string } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"

/** The apps of NetBox 3.5: clients expect each of them. */
const apps = "circuits core dcim extras ipam tenancy users virtualization wireless".split(" ")

/** Names that apps have beside the lists of object types. */
const beside: Readonly<Record<string, string>> = {
  core: "background-queues background-workers capture pipeline sending service",
  extras: "content-types journeys",
  users: "config"
}

/** The addresses of these paths, by their last name. */
const addresses = (summary: string, paths: ReadonlyArray<string>) => {
  const named = paths
    .map((path) => [path.split("/").at(-2)!, path] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const reply = record(
    each(
      named.map(([name]) => name),
      string
    )
  )
  return endpoint({ summary, reply }, ({ base }) =>
    Effect.succeed({ status: 200, json: Object.fromEntries(named.map(([name, path]) => [name, base + path])) })
  )
}

const rootOf = (app: string): string => `/api/${app}/`

const typesOf = (app: string): ReadonlyArray<string> =>
  [...registry.values()].filter((type) => type.app === app).map(({ path }) => path)

export default [
  {
    path: "/api/",
    access: "open",
    methods: { GET: addresses("The addresses of the apps", [...apps, "plugins", "status"].map(rootOf)) }
  },
  ...apps.map((app): Route => {
    const others = (beside[app]?.split(" ") ?? []).map((name) => `${rootOf(app)}${name}/`)
    const summary = `The addresses of the lists of ${app}`
    return { path: rootOf(app), access: "open", methods: { GET: addresses(summary, [...typesOf(app), ...others]) } }
  })
] satisfies ReadonlyArray<Route>
