/** `/<app>/<type>/save-filter/?status=active`: saves the filters of a list under a name. */
import { Effect, Result } from "effect"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { queryOf } from "../../http/query/SavedFilters.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { slugOf } from "../../inventory/field/SlugOf.ts"
import { create } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { listPage } from "../list/ListPage.ts"
import { controlsOf, filtersOf, withQuery } from "../list/Query.ts"
import { savedFilterType } from "./SavedFilters.ts"
import { pathOf } from "../value/Title.ts"

const save =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const form = yield* readForm(request.incoming)
      const name = (form.get("name") ?? "").trim()
      const shared = form.has("shared")
      // After a login the form is shown as it was sent.
      if (form.has("_again")) return yield* listPage(type, request, { name, shared, errors: {} })
      const filters = filtersOf(yield* queryOf(type, request))
      const parameters = Object.fromEntries([...new Set(filters.keys())].map((each) => [each, filters.getAll(each)]))
      const user = request.principal.user?.id ?? null
      const body = { name, slug: slugOf(name), content_types: [type.id], user, shared, parameters }
      const made = yield* Effect.result(create(savedFilterType, [body], request.author))
      if (Result.isFailure(made)) {
        return made.failure instanceof WriteRefused
          ? yield* listPage(type, request, { name, shared, errors: made.failure.errors[0] ?? {} })
          : yield* made.failure
      }
      const query = controlsOf(request.url.searchParams)
      query.set("filter", String(made.success[0]!.row["slug"]))
      return redirect(withQuery(pathOf(type), query))
    })

const show =
  (type: ObjectType): Handler =>
  ({ url }) =>
    Effect.succeed(redirect(withQuery(pathOf(type), url.searchParams)))

export default [...registry.values()].map((type): Route => ({
  path: `${pathOf(type)}save-filter/`,
  access: savedFilterType,
  action: "add",
  keepsForm: true,
  methods: { GET: show(type), POST: save(type) }
}))
