/**
 * References to objects of a later file. A device names its primary address, but the address is assigned to an interface
 * of the device, so the file of devices comes first. Exports leave these references out, and the file of the later objects
 * has them the other way round, in a column of its own: `is_primary` of IP addresses, as in NetBox, `is_master` of devices.
 */
import { type ObjectType, perType } from "../ObjectType.ts"

export interface BackReference {
  /** The object type with the reference, and the reference. */
  readonly holder: string
  readonly field: string
  /** The type that it refers to, and the column of its files. */
  readonly type: string
  readonly column: string
  /** The key that names a holder in the column: `{"device": "sw1"}`. */
  readonly key: string
  /** SQL over `t`, an object of `type`: whether the reference may lead to it. */
  readonly when: string
  /** SQL over `t`: the id of the holder that `true` means; absent where it may mean several holders, and so none. */
  readonly usual?: string
}

/** The primary addresses of machines: `true` means the machine of the interface, or of the one behind NAT. */
const primary = (holder: string, key: string, interfaces: string): ReadonlyArray<BackReference> => {
  const ownerOf = (address: string) =>
    `(select f.${key}_id from ${interfaces.replace(".", "_")} f
      where ${address}.assigned_object_type = '${interfaces}' and f.id = ${address}.assigned_object_id)`
  const usual = `coalesce(${ownerOf("t")}, (select ${ownerOf("a")} from ipam_ipaddress a where a.id = t.nat_inside_id))`
  return ([4, 6] as const).map((family) => ({
    ...{ holder, key, usual, field: `primary_ip${family}`, when: `family(t.address) = ${family}` },
    ...{ type: "ipam.ipaddress", column: "is_primary" }
  }))
}

/** The primary addresses of a context: an interface may be in several. */
const ofContext: ReadonlyArray<BackReference> = ([4, 6] as const).map((family) => ({
  ...{ holder: "dcim.virtualdevicecontext", key: "virtual_device_context" },
  ...{ field: `primary_ip${family}`, when: `family(t.address) = ${family}` },
  ...{ type: "ipam.ipaddress", column: "is_primary" }
}))

const all: ReadonlyArray<BackReference> = [
  ...ofContext,
  ...primary("dcim.device", "device", "dcim.interface"),
  ...primary("virtualization.virtualmachine", "virtual_machine", "virtualization.vminterface"),
  {
    ...{ holder: "dcim.virtualchassis", field: "master", type: "dcim.device", column: "is_master" },
    ...{ key: "virtual_chassis", when: "true", usual: "t.virtual_chassis_id" }
  }
]

/** The references to objects of the type that its files have. */
export const backReferencesTo = perType((type) => all.filter((each) => each.type === type.id))

/** The column of the type's files for them; undefined for most types. */
export const backColumn = (type: ObjectType): string | undefined => backReferencesTo(type)[0]?.column

/** The same as a list, which is empty for most types. */
export const backColumns = (type: ObjectType): ReadonlyArray<string> => [backColumn(type) ?? []].flat()

/** The reference whose place is in another file, if the field is one. */
export const backReferenceOf = (type: ObjectType, field: string): BackReference | undefined =>
  all.find((each) => each.holder === type.id && each.field === field)
