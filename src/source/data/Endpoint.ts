/** Endpoints of object types in the REST API of a NetBox: paths below `/api/`, as `dcim/sites/`. Pure. */
import { isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"

/** Types that are declared here under another name, because a release of NetBox has renamed them. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["vpn.l2vpn", "ipam.l2vpn"],
  ["vpn.l2vpntermination", "ipam.l2vpntermination"],
  ["auth.user", "users.user"],
  ["auth.group", "users.group"]
])

/** Endpoints whose path follows from no declaration. */
const moved: ReadonlyMap<string, string> = new Map([
  ["vpn.l2vpn", "vpn/l2vpns/"],
  ["vpn.l2vpntermination", "vpn/l2vpn-terminations/"]
])

/** The declared type of a type of a source; undefined for those of plugins, and others that are not declared. */
export const declaredType = (type: string): ObjectType | undefined => registry.get(renamed.get(type) ?? type)

/** The endpoint of a type by the declarations; undefined where the API has to be queried. */
export const knownEndpoint = (type: string): string | undefined => {
  const declared = declaredType(type)
  return moved.get(type) ?? (declared === undefined ? undefined : `${declared.app}/${declared.plural}/`)
}

/** The address of a NetBox without a trailing slash, and without `/api`; undefined if the text is no URL of HTTP. */
export const apiBase = (text: string): string | undefined => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined
  return `${url.origin}${url.pathname.replace(/\/+(?:api\/*)?$/, "")}`
}

const part = /^[a-z0-9][a-z0-9_-]{0,99}$/

/** The app and the model of `dcim.site`; undefined for anything else. */
export const namesOfType = (type: string): readonly [app: string, model: string] | undefined => {
  const [app = "", model = "", ...more] = type.split(".")
  return more.length === 0 && part.test(app) && part.test(model) ? [app, model] : undefined
}

/**
 * The endpoint in an answer of `/api/core/object-types/`: `rest_api_endpoint` of the one type, which is a path or a URL.
 * Undefined where the answer has none, or one that is no path of an API: the rest of the address is never followed.
 */
export const endpointInTypes = (answer: unknown, [app, model]: readonly [string, string]): string | undefined => {
  const results: unknown = isDictionary(answer) ? answer["results"] : undefined
  const own = (Array.isArray(results) ? results : []).find(
    (each: unknown) => isDictionary(each) && each["app_label"] === app && each["model"] === model
  ) as { readonly rest_api_endpoint?: unknown } | undefined
  const endpoint = own?.rest_api_endpoint
  if (typeof endpoint !== "string" || endpoint.length > 500) return undefined
  return /(?:^|\/)api\/((?:[a-z0-9_-]+\/){2,4})$/.exec(endpoint)?.[1]
}

/** The names in an answer that lists what is below it, at most so many. */
const namesIn = (answer: unknown): ReadonlyArray<string> =>
  isDictionary(answer)
    ? Object.keys(answer)
        .slice(0, 1000)
        .filter((name) => part.test(name))
    : []

const joined = (text: string): string => text.replaceAll(/[-_]/g, "")

/** The endpoint of a model in the list of an app's endpoints: `bgp-sessions` of `bgpsession`. */
export const endpointInRoot = (answer: unknown, root: string, model: string): string | undefined => {
  const names = new Set([model, `${model}s`, `${model}es`, model.replace(/y$/, "ies")])
  const name = namesIn(answer).find((each) => names.has(joined(each)))
  return name === undefined ? undefined : `${root}${name}/`
}

/** The root of a plugin in the list of plugins, whose names are base URLs: `bgp` or `netbox-bgp` of `netbox_bgp`. */
export const pluginRoot = (answer: unknown, app: string): string | undefined => {
  const names = new Set([joined(app), joined(app).replace(/^netbox/, "")])
  const name = namesIn(answer).find((each) => names.has(joined(each)))
  return name === undefined ? undefined : `plugins/${name}/`
}
