/**
 * The addresses by which a machine is reached first: of a device and of a virtual machine, each with its interfaces.
 */
import type { Errors, Field, Row, View } from "../Field.ts"
import { ref } from "./Reference.ts"

interface Machine {
  /** The object type of its interfaces, and their reference to it. */
  readonly interfaces: string
  readonly owner: string
  /** What the machine is called in messages. */
  readonly called: string
  readonly otherFamily: (address: string, family: number) => string
}

const families = [["primary_ip4", 4] as const, ["primary_ip6", 6] as const]

const addressField = (): Field<number | null> => ref("ipam.ipaddress", { optional: true, onDelete: "set null" })

export const primaryAddresses = ({ interfaces, owner, called, otherFamily }: Machine) => ({
  fields: { primary_ip4: addressField(), primary_ip6: addressField() },
  derived: {
    primary_ip: (row: Row, view: View) => {
      const id = row["primary_ip6"] ?? row["primary_ip4"]
      return typeof id === "number" ? view.nested("ipam.ipaddress", id) : null
    }
  },
  looksAt: families.map(([name]) => `${name}.assigned_object_type`),
  /** A primary address is of its family, and of one of the machine's interfaces. */
  errors: (row: Row, find: View["row"]): Errors => {
    for (const [name, family] of families) {
      const address = find("ipam.ipaddress", Number(row[name]))
      if (address === undefined) continue
      const shown = String(address["address"])
      if (shown.includes(":") !== (family === 6)) return { [name]: [otherFamily(shown, family)] }
      const isInterface = address["assigned_object_type"] === interfaces
      const holder = isInterface ? find(interfaces, Number(address["assigned_object_id"])) : undefined
      if (holder === undefined || holder[owner] !== row.id) {
        return { [name]: [`The specified IP address (${shown}) is not assigned to this ${called}.`] }
      }
    }
    return {}
  }
})
