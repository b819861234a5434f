/** `/<app>/<type>/columns/`: keeps the columns that a reader has chosen for the lists of a type. */
import { Effect } from "effect"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { choiceOf } from "./ChosenColumns.ts"
import { columnsOf } from "./Columns.ts"
import { withQuery } from "./Query.ts"
import { pathOf } from "../value/Title.ts"

const choose =
  (type: ObjectType): Handler =>
  ({ incoming, url, origin }) =>
    Effect.gen(function* () {
      const form = yield* readForm(incoming)
      const asked = form.has("reset") ? [] : form.getAll("column")
      const columns = columnsOf(type).filter((name) => asked.includes(name))
      const query = new URLSearchParams(url.searchParams)
      query.delete("columns")
      if (columns.length > 0) query.set("columns", columns.join(","))
      const cookie = choiceOf(incoming.cookies, type.id, columns, origin)
      return { ...redirect(withQuery(pathOf(type), query)), cookies: [cookie] }
    })

const show =
  (type: ObjectType): Handler =>
  ({ url }) =>
    Effect.succeed(redirect(withQuery(pathOf(type), url.searchParams)))

export default [...registry.values()].map((type): Route => ({
  path: `${pathOf(type)}columns/`,
  access: type,
  action: "view",
  methods: { GET: show(type), POST: choose(type) }
}))
