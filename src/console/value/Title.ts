/** Names of object types and fields as people read them. */
import { bareType, sourceTypeOf } from "../../event/SourceType.ts"
import { registry } from "../../inventory/Registry.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"

/** Words that are written otherwise than in lower case. */
const spelling: ReadonlyMap<string, string> = new Map([
  ..."IP IPs VLAN VLANs VRF VRFs ASN ASNs RIR RIRs MAC ID URL SSL CA NAT DNS VM vCPUs VC VDC VDCs VID MTU WWN LAG PoE RF HTTP FHRP L2VPN L2VPNs LAN LANs SSID PSK API WAL"
    .split(" ")
    .map((word) => [word.toLowerCase(), word] as const),
  ["ip4", "IPv4"],
  ["ip6", "IPv6"],
  ["oauth", "OAuth"]
])

const spelled = (word: string): string => spelling.get(word) ?? word

const worded = (name: string): string =>
  name
    .split(/[_\- ]/)
    .filter((word) => word !== "")
    .map(spelled)
    .join(" ")

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A title inside a sentence: `Site groups` -> `site groups`, and `IP addresses` stays. */
export const inSentence = (title: string): string =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title

/** Lists that are known by another name than that of their objects. */
const lists: ReadonlyMap<string, string> = new Map([
  ["object-changes", "Change log"],
  ["sign-ins", "Sign-ins"]
])

/** `ip-addresses` -> `IP addresses`. */
export const pluralOf = perType(({ plural }): string => lists.get(plural) ?? capital(worded(plural)))

/** `ip address` -> `IP address`: one object of the type. */
export const nameOf = perType(({ label }): string => label.split(" ").map(spelled).join(" "))

/**
 * The name of a type by its id, which may be one of a source or of a plugin: `3:dcim.site` -> `site`,
 * `netbox_dns.zone` -> `zone (netbox_dns)`.
 */
export const nameOfType = (id: string): string => {
  const bare = bareType(id)
  const type = registry.get(bare)
  if (type !== undefined) return nameOf(type)
  const [, app, model] = /^([^.]+)\.(.+)$/.exec(bare) ?? []
  return model === undefined ? bare : `${worded(model)} (${app})`
}

/** The same as a title, with the name of its source or else with its id: `Site`, `Site · headquarters`. */
export const titleOfType = (id: string, source?: string): string => {
  const of = sourceTypeOf(id)
  const title = capital(nameOfType(id))
  return of === undefined ? title : `${title} · ${source ?? `source ${of.source}`}`
}

/** Titles of fields whose names only programmers read. */
const titles: ReadonlyMap<string, string> = new Map([
  ["a_terminations", "A side"],
  ["agent", "Browser"],
  ["b_terminations", "B side"],
  ["cable_end", "End of the cable"],
  ["changed_object_type", "Object type"],
  ["cid", "Circuit ID"],
  ["connected_endpoints", "Connected to"],
  ["connected_endpoints_reachable", "Reachable"],
  ["content_types", "Object types"],
  ["count_ipaddresses", "IP addresses"],
  ["link_peers", "Peers"],
  ["mark_connected", "Marked as connected"],
  ["desc_units", "Descending units"],
  ["is_full_depth", "Full depth"],
  ["mgmt_only", "Management only"],
  ["rd", "Route distinguisher"],
  ["object_repr", "Object"],
  ["tx_power", "Transmit power"],
  ["wal_limit", "WAL limit (MB)"],
  ["type_create", "Creations"],
  ["type_delete", "Deletions"],
  ["type_update", "Updates"],
  ["u_height", "Height"],
  ["user_name", "User"],
  ["vdcs", "Virtual device contexts"],
  ["vid", "VLAN ID"]
])

/** `physical_address` -> `Physical address`. */
export const fieldTitle = (name: string): string => titles.get(name) ?? capital(worded(name))

/** `/dcim/sites/`: the list of a type; with an id the page of an object. */
export const pathOf = ({ path }: ObjectType, id?: number): string =>
  `${path.slice("/api".length)}${id === undefined ? "" : `${id}/`}`
