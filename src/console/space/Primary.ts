/** `/ipam/ip-addresses/<id>/primary/`: makes an assigned address the primary one of its device or virtual machine. */
import { Effect, Result } from "effect"
import { notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { textsIn } from "../../inventory/Field.ts"
import { update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { pathOf } from "../value/Title.ts"
import { objectOfTab, objectPage } from "../object/ObjectPage.ts"
import { addressType, machineOf } from "./PrimaryAction.ts"

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const { row, view } = yield* objectOfTab(addressType, request)
    const machine = yield* machineOf(row)
    if (machine === undefined) return yield* notFound()
    const change = { id: machine.row.id, body: { [machine.field]: row.id } }
    const done = yield* Effect.result(update(machine.type, [change], false, request.author))
    if (Result.isSuccess(done)) {
      const cookies = [flash({ deed: "saved", type: machine.type })]
      return { ...redirect(pathOf(machine.type, machine.row.id)), cookies, written: [machine.row.id] }
    }
    if (!(done.failure instanceof WriteRefused)) return yield* done.failure
    const messages = Object.values(done.failure.errors[0] ?? {}).flatMap(textsIn)
    return yield* objectPage(request, {
      ...{ type: addressType, row, view, status: 400 },
      main: html`<div class="alert-line alert-bad" role="alert"><b>Nothing was changed.</b> ${messages.join(" ")}</div>`
    })
  })

const show: Handler = ({ params }) => Effect.succeed(redirect(pathOf(addressType, Number(params["id"]) || undefined)))

export default {
  path: `${pathOf(addressType)}:id/primary/`,
  access: addressType,
  action: "view",
  methods: { GET: show, POST: submit }
} satisfies Route
