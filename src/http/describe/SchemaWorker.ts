/** A worker thread that writes the description once: it takes 0.3 seconds as JSON, and more than one second as YAML. */
import { parentPort, workerData } from "node:worker_threads"
import { stringify } from "yaml"
import { isDictionary } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type DescribedRoute, openApi } from "./OpenApi.ts"

/** The parts of a route that can be sent to a thread. */
export interface PlainRoute {
  readonly path: string
  /** For access to an object type its id. */
  readonly access: { readonly type: string } | "open" | "credentials" | "unasked"
  readonly methods: DescribedRoute["methods"]
}

export interface SchemaRequest {
  readonly routes: ReadonlyArray<PlainRoute>
  readonly isYaml: boolean
}

/** The text before and after the address of the service. */
export type SchemaParts = readonly [before: Uint8Array, after: Uint8Array]

/** A placeholder for the address; no real one ends in `.invalid`. */
const address = "http://address.invalid"

const { routes, isYaml } = workerData as SchemaRequest
const document = openApi(
  routes.map(({ access, ...route }) => ({
    ...route,
    access: typeof access === "string" ? access : objectType(access.type)
  })),
  address
)

/** Levels of the document that are written entry by entry: YAML nodes of the whole document would take 200 MB. */
const entriesDepth = 3

const yamlOf = (value: object, depth = 0): string =>
  Object.entries(value)
    .map(([name, each]: [string, unknown]) => {
      const isLong = depth < entriesDepth && isDictionary(each) && Object.keys(each).length > 0
      const text = isLong
        ? stringify({ [name]: 0 }).replace(/ 0\n$/, () => `\n${yamlOf(each, depth + 1)}`)
        : stringify({ [name]: each }, { aliasDuplicateObjects: false })
      return depth === 0 ? text : text.replaceAll(/^(?=.)/gm, "  ")
    })
    .join("")

const text = isYaml ? yamlOf(document) : JSON.stringify(document)
const [before, after] = text.split(isYaml ? address : JSON.stringify(address))
const encoder = new TextEncoder()
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage([encoder.encode(before), encoder.encode(after)] satisfies SchemaParts)
