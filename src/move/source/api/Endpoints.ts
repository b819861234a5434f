/** The endpoints of a NetBox that are read, with the tables that their objects have in a database of NetBox. */
import { Effect } from "effect"
import { isDictionary } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { registry } from "../../../inventory/Registry.ts"
import { isMoved } from "../MovedTypes.ts"
import { type ApiClient, ApiFailed } from "./Client.ts"

export interface Endpoint {
  /** `dcim/sites`. */
  readonly path: string
  readonly table: string
  /** Undefined for objects that no type here has. */
  readonly type: ObjectType | undefined
}

/** The part of the API of each app; plugins have parts of their own, which are not read. */
const apps = new Set([
  "circuits",
  "core",
  "dcim",
  "extras",
  "ipam",
  "tenancy",
  "users",
  "virtualization",
  "vpn",
  "wireless"
])

/** Endpoints that later releases moved. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["vpn/l2vpns", "ipam/l2vpns"],
  ["vpn/l2vpn-terminations", "ipam/l2vpn-terminations"]
])

/** The tables of objects without a type here that mappings read. */
const tables: ReadonlyMap<string, string> = new Map([
  ["extras/event-rules", "extras_eventrule"],
  ["extras/custom-field-choice-sets", "extras_customfieldchoiceset"],
  ["dcim/mac-addresses", "dcim_macaddress"]
])

/**
 * Endpoints that are not read: no lists of objects, records of NetBox's own work, or objects that the API shows without
 * their content: keys of tokens.
 */
const unread: ReadonlySet<string> = new Set([
  ...["extras/content-types", "extras/object-types", "core/object-types", "dcim/connected-device"],
  ...["extras/object-changes", "core/object-changes", "core/jobs", "extras/jobs", "extras/job-results"],
  ...["core/background-queues", "core/background-tasks", "core/background-workers", "extras/dashboard", "users/config"],
  ...["extras/reports", "extras/scripts", "users/tokens", "virtualization/virtual-disks"]
])

const byPath: ReadonlyMap<string, ObjectType> = new Map(
  [...registry.values()].map((type) => [`${type.app}/${type.plural}`, type])
)

/** The endpoint of a path; undefined if it is not read. */
const endpointAt = (path: string): Endpoint | undefined => {
  const type = byPath.get(renamed.get(path) ?? path)
  if (unread.has(path) || (type !== undefined && !isMoved(type))) return undefined
  return { path, table: type?.table ?? tables.get(path) ?? path, type }
}

/** The names of an answer that lists what is below it. */
const namesAt = (client: ApiClient, path: string): Effect.Effect<ReadonlyArray<string>, ApiFailed> =>
  Effect.flatMap(client.get(path), (answer) =>
    isDictionary(answer)
      ? Effect.succeed(Object.keys(answer).filter((name) => /^[a-z0-9-]{1,60}$/.test(name)))
      : Effect.fail(new ApiFailed({ reason: "Unusable", message: `GET ${path} answers with no list of NetBox's API.` }))
  )

/** The endpoints that a NetBox has, custom fields first: the values of others depend on them. */
export const endpointsOf = Effect.fnUntraced(function* (client: ApiClient) {
  const found = (yield* namesAt(client, "/api/")).filter((name) => apps.has(name))
  const paths = yield* Effect.forEach(found, (app) =>
    Effect.map(namesAt(client, `/api/${app}/`), (names) => names.map((name) => `${app}/${name}`))
  )
  return paths.flat().flatMap((path) => endpointAt(path) ?? [])
})
