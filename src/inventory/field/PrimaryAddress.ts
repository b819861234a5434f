/**
 * The primary addresses of a device or a virtual machine. Each must be assigned to one of its interfaces, or translated
 * (`nat_inside`) to one that is. The interfaces of a device in a virtual chassis are those of all members, but for
 * interfaces that are for management only.
 */
import { flagged } from "../Asked.ts"
import type { Derived } from "../Derived.ts"
import type { Errors, Field, Row, View } from "../Field.ts"
import type { Find } from "../ObjectType.ts"
import type IpAddress from "../types/ipam/IpAddress.ts"
import { ref } from "./Reference.ts"

interface Machine {
  /** The object type of its interfaces, and their reference to it. */
  readonly interfaces: string
  readonly owner: string
  /** The machine's word in messages. */
  readonly called: string
  readonly otherFamily: (address: string, family: number) => string
}

interface Primary extends Row {
  readonly primary_ip4: number | null
  readonly primary_ip6: number | null
  readonly virtual_chassis?: number | null
}

const families = [["primary_ip4", 4] as const, ["primary_ip6", 6] as const]

const addressField = (): Field<number | null> => ref("ipam.ipaddress", { optional: true, onDelete: "set null" })

export const primaryAddresses = ({ interfaces, owner, called, otherFamily }: Machine) => ({
  fields: { primary_ip4: addressField(), primary_ip6: addressField() },
  derived: {
    primary_ip: {
      shape: { kind: "object", type: "ipam.ipaddress", nullable: true },
      of: (row: Primary, view: View) => {
        const id = row.primary_ip6 ?? row.primary_ip4
        return id === null ? null : view.nested("ipam.ipaddress", id)
      }
    } satisfies Derived<Primary>
  },
  asked: { has_primary_ip: flagged("t.primary_ip4_id is not null or t.primary_ip6_id is not null") },
  looksAt: families.flatMap(([name]) =>
    ["", "nat_inside."].map((inside) => `${name}.${inside}assigned_object_type.${owner}`)
  ),
  /** Refuses a primary address of the wrong family, or of no interface of the machine. */
  errors: (row: Primary, find: Find): Errors => {
    for (const [name, family] of families) {
      const found = find<typeof IpAddress>("ipam.ipaddress", row[name])
      if (found === undefined) continue
      const shown = String(found.address)
      if (shown.includes(":") !== (family === 6)) return { [name]: [otherFamily(shown, family)] }
      const inside = find<typeof IpAddress>("ipam.ipaddress", found.nat_inside)
      const isAssigned = [found, inside].some((each) => {
        const isInterface = each?.assigned_object_type === interfaces
        const holder = isInterface ? find(interfaces, each.assigned_object_id) : undefined
        return holder !== undefined && (holder[owner] === row.id || isOfMember(holder, row, find))
      })
      if (!isAssigned) {
        return { [name]: [`The specified IP address (${shown}) is not assigned to this ${called}.`] }
      }
    }
    return {}
  }
})

/** Whether an interface is that of another member of the device's virtual chassis, and may serve the whole. */
const isOfMember = (holder: Row, { virtual_chassis: chassis }: Primary, find: Find): boolean => {
  if (chassis === null || chassis === undefined || holder["mgmt_only"] === true) return false
  const device = holder["device"]
  return typeof device === "number" && find("dcim.device", device)?.["virtual_chassis"] === chassis
}
