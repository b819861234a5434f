/** Names of object types and fields as people read them. */
import type { ObjectType } from "../../inventory/ObjectType.ts"

/** Words that are written otherwise than in lower case. */
const spelling: Readonly<Record<string, string>> = {
  ...{
    ip: "IP",
    ips: "IPs",
    vlan: "VLAN",
    vlans: "VLANs",
    vrf: "VRF",
    vrfs: "VRFs",
    asn: "ASN",
    asns: "ASNs",
    rir: "RIR"
  },
  ...{
    rirs: "RIRs",
    mac: "MAC",
    id: "ID",
    url: "URL",
    ssl: "SSL",
    ca: "CA",
    nat: "NAT",
    dns: "DNS",
    vm: "VM",
    vcpus: "vCPUs"
  }
}

const worded = (name: string): string =>
  name
    .split(/[_\- ]/)
    .map((word) => spelling[word] ?? word)
    .join(" ")

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A title inside a sentence: `Site groups` -> `site groups`, and `IP addresses` stays. */
export const inSentence = (title: string): string =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title

/** `ip-addresses` -> `IP addresses`. */
export const pluralOf = ({ plural }: ObjectType): string => capital(worded(plural))

/** `ip address` -> `IP address`: one object of the type. */
export const nameOf = ({ label }: ObjectType): string => worded(label)

/** `physical_address` -> `Physical address`. */
export const fieldTitle = (name: string): string => capital(worded(name))

/** `/dcim/sites/`: the list of a type; with an id the page of an object. */
export const pathOf = ({ path }: ObjectType, id?: number): string =>
  `${path.slice("/api".length)}${id === undefined ? "" : `${id}/`}`
