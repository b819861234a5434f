/** `/api/extras/content-types/`: the object types, by the names that fields such as `content_types` take. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, integer, page, pageOf, record, string } from "../declare/Parts.ts"
import { notFound } from "../HttpRefused.ts"
import type { Route } from "../Route.ts"
import { pageBounds, pageLinks } from "../wire/Paging.ts"
import { type Request, publicUrl } from "../wire/Request.ts"

const path = "/api/extras/content-types/"

/** A number that follows from the name, so that it is the same in every installation and release. */
const idOf = ({ id }: ObjectType): number => createHash("sha256").update(id).digest().readUInt32BE() >>> 1

const types = [...registry.values()]
  .map((type) => ({ id: idOf(type), app_label: type.app, model: type.name, display: `${type.app} | ${type.label}` }))
  .sort((a, b) => (`${a.app_label} ${a.model}` < `${b.app_label} ${b.model}` ? -1 : 1))

if (new Set(types.map(({ id }) => id)).size < types.length) throw new Error("two object types have the same number")

type ContentType = (typeof types)[number]

const shown = ({ id, display, app_label, model }: ContentType, { base }: Pick<Request, "base">) => ({
  ...{ id, url: `${base}${path}${id}/`, display, app_label, model }
})

const contentType = record({ id: integer, url: string, display: string, app_label: string, model: string })

const filters = {
  id: integer,
  app_label: string,
  model: string,
  q: described(string, "Text in the name of the app or of the model.")
}

/** Whether a type meets the filters: one of the values of each, and every text of `q`. */
const matches = (type: ContentType, query: URLSearchParams): boolean => {
  const oneOf = (name: "id" | "app_label" | "model") => {
    const values = query.getAll(name).filter((value) => value !== "")
    return values.length === 0 || values.includes(`${type[name]}`)
  }
  const has = (text: string) => [type.app_label, type.model].some((name) => name.includes(text.toLowerCase()))
  return oneOf("id") && oneOf("app_label") && oneOf("model") && query.getAll("q").every(has)
}

const list = endpoint(
  { summary: "The object types", query: { ...filters, ...page }, reply: pageOf(contentType) },
  (request) =>
    Effect.gen(function* () {
      const settings = yield* Settings
      const query = request.url.searchParams
      const found = types.filter((type) => matches(type, query))
      const bounds = pageBounds(query, { usual: settings.pageSize, max: settings.pageSizeMax })
      const end = bounds.limit === undefined ? undefined : bounds.offset + bounds.limit
      const results = found.slice(bounds.offset, end).map((type) => shown(type, request))
      const json = { count: found.length, ...pageLinks(publicUrl(request), bounds, found.length), results }
      return { status: 200, json }
    })
)

const show = endpoint({ summary: "One object type", reply: contentType }, (request) =>
  Effect.gen(function* () {
    const type = types.find(({ id }) => `${id}` === request.params["id"]) ?? (yield* notFound())
    return { status: 200, json: shown(type, request) }
  })
)

export default [
  { path, access: "open", methods: { GET: list } },
  { path: `${path}:id/`, access: "open", methods: { GET: show } }
] satisfies ReadonlyArray<Route>
