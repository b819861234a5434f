/**
 * `/<app>/<type>/pick/`: for the picker in `picker.js`. GET finds the objects that a form can refer to, as JSON. POST
 * adds one whose name is all that is missing.
 */
import { Effect, Result } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { byIds, customFieldsOf, viewFor } from "../../inventory/read/Read.ts"
import { create } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { bodyOf, cellsOf, withSlug } from "../form/Cells.ts"
import { formOf } from "../form/FormField.ts"
import { writtenTypes } from "../form/Opened.ts"
import { pathOf } from "../value/Title.ts"
import { addingOf } from "./Adding.ts"
import { findTargets } from "./Targets.ts"

const pick =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const query = request.url.searchParams
      const text = query.get("q") ?? ""
      const chosen = (field: string) => query.getAll(field)
      const { found, more } = yield* findTargets(type, text, request.base, chosen)
      const adding = yield* addingOf(type, text, chosen)
      // An object of this name here is chosen, and not added again.
      const isFound = found.some(({ display }) => display.toLowerCase() === text.trim().toLowerCase())
      const { what, form, atOnce } = adding ?? {}
      const add = adding === undefined || isFound ? undefined : { what, form, atOnce, text: text.trim() }
      return { status: 200, json: { results: found, more, ...(add && { add }) } }
    })

const addAtOnce =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const sent = yield* readForm(request.incoming)
      const adding = yield* addingOf(type, sent.get("q") ?? "", (field) => sent.getAll(field))
      if (adding?.atOnce !== true) return { status: 400, json: { detail: "Its form requires more than a name." } }
      const form = formOf(type, yield* customFieldsOf(type), true)
      const cells = withSlug(form, { ...cellsOf(form, undefined), ...adding.cells })
      const made = yield* Effect.result(create(type, [bodyOf(form, {}, cells)], request.author))
      if (Result.isFailure(made)) {
        if (!(made.failure instanceof WriteRefused)) return yield* made.failure
        const messages = Object.values(made.failure.errors[0] ?? {}).flatMap(textsIn)
        return { status: 400, json: { detail: messages.join(" ") } }
      }
      const [{ row }] = made.success as readonly [(typeof made.success)[number]]
      // Somebody may add what nobody lets them view.
      const [seen] = yield* byIds(type, [row.id])
      const display = seen === undefined ? "" : type.display(seen, yield* viewFor(type, [seen], request.base))
      return { status: 201, json: { id: row.id, display: display || `#${row.id}` }, written: [row.id] }
    })

export default [...registry.values()]
  .filter(({ kind }) => kind !== "record")
  .map((type): Route => ({
    path: `${pathOf(type)}pick/`,
    access: type,
    methods: { GET: pick(type), ...(writtenTypes.includes(type) && { POST: addAtOnce(type) }) }
  }))
