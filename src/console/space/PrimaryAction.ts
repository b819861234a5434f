/** The button that makes an assigned address the primary one of its device or virtual machine. */
import { Effect } from "effect"
import { mayDo } from "../../inventory/Clearance.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { nameOf, pathOf } from "../value/Title.ts"

export const addressType = objectType("ipam.ipaddress")

/** The machine of an interface: its type, and the field of the interface. */
const machines = new Map([
  ["dcim.interface", { type: objectType("dcim.device"), field: "device" }],
  ["virtualization.vminterface", { type: objectType("virtualization.virtualmachine"), field: "virtual_machine" }]
])

interface Machine {
  readonly type: ObjectType
  readonly row: Row
  /** The field of the machine that has its primary address of this family. */
  readonly field: "primary_ip4" | "primary_ip6"
}

/** The machine that the address is assigned to, if the reader may change machines of the type. */
export const machineOf = Effect.fnUntraced(function* (address: Row) {
  const of = machines.get(String(address["assigned_object_type"]))
  if (of === undefined || !(yield* mayDo(of.type, "change"))) return undefined
  const [port] = yield* byIds(objectType(String(address["assigned_object_type"])), [
    Number(address["assigned_object_id"])
  ])
  const id = port?.[of.field]
  const [row] = typeof id === "number" ? yield* byIds(of.type, [id]) : []
  const field = String(address["address"]).includes(":") ? "primary_ip6" : "primary_ip4"
  return row === undefined ? undefined : ({ type: of.type, row, field } satisfies Machine as Machine)
})

/** Nothing for other types, and for addresses that are primary. */
export const primaryAction = Effect.fnUntraced(function* (type: ObjectType, address: Row, request: Request) {
  if (type !== addressType) return html``
  const machine = yield* machineOf(address)
  if (machine === undefined || machine.row[machine.field] === address.id) return html``
  return form(request, address.id, machine)
})

const form = (request: Request, id: number, { type }: Machine): Html =>
  html`<form method="post" action="${pathOf(addressType, id)}primary/">
    ${csrfInput(request)}<button class="btn btn-sm">${icon("check")}Make primary for its ${nameOf(type)}</button>
  </form>`
