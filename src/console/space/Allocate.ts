/** `/ipam/prefixes/<id>/allocate/`: creates the next free prefix or address in a prefix. */
import { Effect, Result } from "effect"
import { Denied } from "../../auth/Denied.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { takeOne } from "../../http/objects/Allocation.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import { type Errors, isDictionary, textsIn } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { addressType } from "../../inventory/read/Spaces.ts"
import type Prefix from "../../inventory/types/ipam/Prefix.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { objectOfTab, objectPage } from "../object/ObjectPage.ts"
import { pathOf } from "../value/Title.ts"

const prefixType = objectType<typeof Prefix>("ipam.prefix")

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const form = yield* readForm(request.incoming)
    const { row, view } = yield* objectOfTab(prefixType, request)
    const what = form.get("what") === "address" ? "address" : "prefix"
    const type = what === "prefix" ? prefixType : addressType
    if (!(yield* mayDo(type, "add")))
      return yield* new Denied({ reason: "NoPermission", missing: { action: "add", objectType: type.id } })
    const item = what === "prefix" ? { prefix_length: Number(form.get("length") ?? "") } : {}
    const filled = Object.fromEntries(
      ["site", "tenant"].flatMap((name) =>
        what === "prefix" || name === "tenant" ? [[name, row[name as "site"]]] : []
      )
    )
    const taken = yield* Effect.result(takeOne(what, row, { ...filled, ...item }, request.author))
    if (Result.isSuccess(taken)) {
      const id = taken.success
      const isSeen = (yield* byIds(type, [id])).length > 0
      const next = isSeen ? pathOf(type, id) : pathOf(prefixType, row.id)
      return { ...redirect(next), cookies: [flash({ deed: "added", type })], written: [id] }
    }
    const problem = problemOf(taken.failure)
    if (problem === undefined) return yield* taken.failure
    return yield* objectPage(request, {
      ...{ type: prefixType, row, view, status: 409 },
      main: html`<div class="alert-line alert-bad" role="alert">Nothing was allocated: ${problem}</div>
        <p><a href="${pathOf(prefixType, row.id)}">Back to the prefix</a></p>`
    })
  })

/** Why nothing was allocated; undefined for failures of the whole request. */
const problemOf = (failure: unknown): string | undefined => {
  if (failure instanceof WriteRefused)
    return Object.values(failure.errors[0] ?? {})
      .flatMap(textsIn)
      .join(" ")
  if (!(failure instanceof HttpRefused) || !isDictionary(failure.body)) return undefined
  // Texts, or lists of them.
  return Object.values(failure.body as Errors)
    .flatMap((each) => (typeof each === "string" ? [each] : textsIn(each)))
    .join(" ")
}

const show: Handler = ({ params }) => Effect.succeed(redirect(pathOf(prefixType, Number(params["id"]) || undefined)))

export default {
  path: `${pathOf(prefixType)}:id/allocate/`,
  access: prefixType,
  action: "view",
  methods: { GET: show, POST: submit }
} satisfies Route
