/** Labels of a target for Prometheus, by the names of NetBox's plugin for its service discovery. Pure. */
import { type Row, isDictionary } from "../../inventory/Field.ts"

export type Labels = Readonly<Record<string, string>>

/** The objects that a page of objects refers to, as far as the reader may view them. */
export interface Around {
  readonly find: (type: string, id: unknown) => Row | undefined
  /** By the object type and the id of the machine. */
  readonly services: (type: string, id: number) => ReadonlyArray<Row>
  readonly contacts: (type: string, id: number) => ReadonlyArray<Row>
}

/** Names and slugs of an object, where it is there. */
const named = (prefix: string, row: Row | undefined): Labels =>
  row === undefined ? {} : { [prefix]: String(row["name"]), [`${prefix}_slug`]: String(row["slug"]) }

const nameOf = (label: string, row: Row | undefined): Labels =>
  row === undefined ? {} : { [label]: String(row["name"]) }

/** A value of the row itself; nothing for none. */
const text = (label: string, value: unknown): Labels =>
  value === null || value === undefined || value === "" ? {} : { [label]: String(value) }

const bare = (address: unknown): string => String(address).replace(/\/.*/, "")

const listed = (label: string, values: ReadonlyArray<unknown>): Labels =>
  values.length === 0 ? {} : { [label]: values.join(",") }

const tagLabels = (row: Row, { find }: Around): Labels => {
  const tags = (row["tags"] as ReadonlyArray<number>).flatMap((id) => find("extras.tag", id) ?? [])
  return {
    ...listed(
      "tags",
      tags.map((tag) => tag["name"])
    ),
    ...listed(
      "tag_slugs",
      tags.map((tag) => tag["slug"])
    )
  }
}

const tenantLabels = (row: Row, { find }: Around): Labels => {
  const tenant = find("tenancy.tenant", row["tenant"])
  return { ...named("tenant", tenant), ...named("tenant_group", find("tenancy.tenantgroup", tenant?.["group"])) }
}

const customLabels = (row: Row): Labels =>
  Object.fromEntries(
    Object.entries(row["custom_fields"] as Readonly<Record<string, unknown>>).flatMap(([name, value]) => {
      if (value === null) return []
      const shown = isDictionary(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
      return [[`custom_field_${name.toLowerCase()}`, shown]]
    })
  )

const addressLabels = (row: Row, { find }: Around): Labels => {
  const [v4, v6] = ["primary_ip4", "primary_ip6"].map((name) => find("ipam.ipaddress", row[name])?.["address"])
  const shown = (label: string, address: unknown) => (address === undefined ? {} : { [label]: bare(address) })
  return { ...shown("primary_ip", v6 ?? v4), ...shown("primary_ip4", v4), ...shown("primary_ip6", v6) }
}

const contactLabels = (type: string, { id }: Row, { find, contacts }: Around): Labels =>
  Object.assign(
    {},
    ...contacts(type, id).map((assignment): Labels => {
      const contact = find("tenancy.contact", assignment["contact"])
      const prefix = `contact_${String(assignment["priority"] ?? "")}`
      return {
        ...nameOf(`${prefix}_name`, contact),
        ...text(`${prefix}_email`, contact?.["email"]),
        ...text(`${prefix}_comments`, contact?.["comments"]),
        ...nameOf(`${prefix}_role`, find("tenancy.contactrole", assignment["role"]))
      }
    })
  ) as Labels

/** The labels of a machine that services of it have too. */
const sharedLabels = (type: string, row: Row, around: Around): Labels => {
  const { find } = around
  const cluster = find("virtualization.cluster", row["cluster"])
  return {
    ...addressLabels(row, around),
    ...tenantLabels(row, around),
    ...nameOf("cluster", cluster),
    ...nameOf("cluster_group", find("virtualization.clustergroup", cluster?.["group"])),
    ...nameOf("cluster_type", find("virtualization.clustertype", cluster?.["type"])),
    ...named("site", find("dcim.site", row["site"] ?? cluster?.["site"])),
    ...contactLabels(type, row, around)
  }
}

const machineLabels = (type: string, row: Row, around: Around): Labels => ({
  ...{ status: String(row["status"]), id: String(row.id) },
  ...text("name", row["name"]),
  ...sharedLabels(type, row, around),
  ...named("platform", around.find("dcim.platform", row["platform"])),
  ...tagLabels(row, around),
  ...listed(
    "services",
    around.services(type, row.id).map((service) => service["name"])
  ),
  ...named("role", around.find("dcim.devicerole", row["device_role"] ?? row["role"])),
  ...customLabels(row)
})

const device = (row: Row, around: Around): Labels => {
  const { find } = around
  const type = find("dcim.devicetype", row["device_type"])
  return {
    ...{ model: "Device" },
    ...machineLabels("dcim.device", row, around),
    ...text("device_type", type?.["model"]),
    ...text("device_type_slug", type?.["slug"]),
    ...text("description", row["description"]),
    ...named("location", find("dcim.location", row["location"])),
    ...nameOf("rack", find("dcim.rack", row["rack"])),
    ...text("rack_u_position", row["position"])
  }
}

const address = (row: Row, around: Around): Labels => ({
  ...{ status: String(row["status"]), model: "IPAddress", ip: bare(row["address"]), id: String(row.id) },
  ...text("role", row["role"]),
  ...tagLabels(row, around),
  ...tenantLabels(row, around),
  ...customLabels(row)
})

const service = (row: Row, around: Around, display: string): Labels => {
  const addresses = (row["ipaddresses"] as ReadonlyArray<number>).flatMap(
    (id) => around.find("ipam.ipaddress", id) ?? []
  )
  const kind = row["device"] === null ? "virtualization.virtualmachine" : "dcim.device"
  const parent = around.find(kind, row["device"] ?? row["virtual_machine"])
  return {
    ...{ id: String(row.id), name: String(row["name"]), display },
    ...listed(
      "ipaddresses",
      addresses.map((each) => bare(each["address"]))
    ),
    ...listed("ports", row["ports"] as ReadonlyArray<number>),
    ...tagLabels(row, around),
    ...text("parent", parent?.["name"]),
    ...(parent === undefined ? {} : sharedLabels(kind, parent, around)),
    ...customLabels(row)
  }
}

const labelsOf: Readonly<Record<string, (row: Row, around: Around, display: string) => Labels>> = {
  "dcim.device": device,
  "virtualization.virtualmachine": (row, around) => ({
    model: "VirtualMachine",
    ...machineLabels("virtualization.virtualmachine", row, around)
  }),
  "ipam.ipaddress": address,
  "ipam.service": service
}

export interface Target {
  readonly targets: readonly [string]
  readonly labels: Labels
}

/** The target of an object; undefined for a device that has neither a name nor an address. */
export const targetOf = (type: string, row: Row, around: Around, display: string): Target | undefined => {
  const labels = labelsOf[type]!(row, around, display)
  const target = type === "ipam.ipaddress" ? row["dns_name"] || labels["ip"] : (row["name"] ?? labels["primary_ip"])
  if (typeof target !== "string") return undefined
  const named = Object.entries(labels).map(([name, value]) => [`__meta_netbox_${name}`, value])
  return { targets: [target], labels: Object.fromEntries(named) as Labels }
}
