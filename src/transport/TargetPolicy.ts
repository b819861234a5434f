/**
 * The allowed targets of deliveries: a webhook's URL is somebody's input, and this process is inside a network.
 *
 * Decides about addresses only, whatever spelling or name they were resolved from; Connector.ts applies it to the
 * literal, to every address that a name resolves to, and to the socket that was connected. The list of denied ranges
 * wins over that of allowed ones, and both over the policy. An address that carries an IPv4 address inside it (NAT64,
 * 6to4, Teredo and so on) may be reached only when both may.
 */
import { type Address, type Range, contains, fromQuad, parseAddress, parseRange } from "../inventory/Address.ts"

export const policies = ["private", "public"] as const

export interface TargetRules {
  /** `private`: all but metadata services and what no receiver can have. `public`: only what is globally reachable. */
  readonly policy: (typeof policies)[number]
  readonly allow: ReadonlyArray<Range>
  readonly deny: ReadonlyArray<Range>
}

type Kind =
  | "metadata service"
  | "link-local"
  | "multicast"
  | "unspecified"
  | "loopback"
  | "private"
  | "reserved"
  | "translated"
  | "global"

/** Kinds that no policy opens; only the list of allowed ranges does. `translated`: nobody can say where it leads. */
const closed: ReadonlySet<Kind> = new Set(["metadata service", "link-local", "multicast", "unspecified", "translated"])

/** Ranges with a meaning of their own, the narrower ones first. Sources: the IANA special-purpose registries. */
const special: ReadonlyArray<readonly [range: Range, kind: Kind]> = (
  [
    // Amazon, Google, Azure's WireServer, Alibaba, Oracle, Scaleway; the link-local ones follow from their range.
    ["fd00:ec2::254", "metadata service"],
    ["fd20:ce::254", "metadata service"],
    ["168.63.129.16", "metadata service"],
    ["100.100.100.200", "metadata service"],
    ["192.0.0.192", "metadata service"],
    ["fd00:42::42", "metadata service"],
    ["169.254.169.254", "metadata service"],
    ["169.254.170.2", "metadata service"],
    ["0.0.0.0/8", "unspecified"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "private"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.0.0/16", "link-local"],
    ["172.16.0.0/12", "private"],
    ["192.0.0.9", "global"],
    ["192.0.0.10", "global"],
    ["192.0.0.0/24", "reserved"],
    ["192.0.2.0/24", "reserved"],
    ["192.88.99.0/24", "reserved"],
    ["192.168.0.0/16", "private"],
    ["198.18.0.0/15", "reserved"],
    ["198.51.100.0/24", "reserved"],
    ["203.0.113.0/24", "reserved"],
    ["224.0.0.0/4", "multicast"],
    ["255.255.255.255", "multicast"],
    ["240.0.0.0/4", "reserved"],
    ["0.0.0.0/0", "global"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    // Their IPv4 address decides, below.
    ["::/96", "global"],
    ["::ffff:0:0:0/96", "global"],
    ["64:ff9b::/96", "global"],
    ["2002::/16", "global"],
    ["64:ff9b:1::/48", "translated"],
    ["100::/64", "reserved"],
    ["100:0:0:1::/64", "reserved"],
    ["2001::/32", "reserved"],
    ["2001:1::1", "global"],
    ["2001:1::2", "global"],
    ["2001:1::3", "global"],
    ["2001:3::/32", "global"],
    ["2001:4:112::/48", "global"],
    ["2001:20::/28", "global"],
    ["2001:30::/28", "global"],
    ["2001::/23", "reserved"],
    ["2001:db8::/32", "reserved"],
    ["3fff::/20", "reserved"],
    ["5f00::/16", "reserved"],
    ["fc00::/7", "private"],
    ["fe80::/10", "link-local"],
    ["fec0::/10", "private"],
    ["ff00::/8", "multicast"],
    ["2000::/3", "global"],
    ["::/0", "reserved"]
  ] as const
).map(([range, kind]) => [parseRange(range)!, kind])

/** The IPv4 addresses inside an IPv6 one, by range: what a gateway on the way may send it on to. */
const carriers: ReadonlyArray<readonly [range: Range, inside: (address: Address) => ReadonlyArray<bigint>]> = [
  // Compatible, translated (SIIT) and NAT64.
  [parseRange("::/96")!, (address) => [address]],
  [parseRange("::ffff:0:0:0/96")!, (address) => [address]],
  [parseRange("64:ff9b::/96")!, (address) => [address]],
  // 6to4.
  [parseRange("2002::/16")!, (address) => [address >> 80n]],
  // Teredo: the server, and the client with its bits turned.
  [parseRange("2001::/32")!, (address) => [address >> 64n, address ^ 0xffff_ffffn]]
]

/** ISATAP: the interface is `0:5efe` or `200:5efe` and an IPv4 address, in any network. */
const isIsatap = (address: Address): boolean => ((address >> 32n) & 0xfdff_ffffn) === 0x5efen

const carried = (address: Address): ReadonlyArray<Address> => {
  // These two would be 0.0.0.0 and 0.0.0.1.
  if (address <= 1n) return []
  const found = carriers.flatMap(([range, inside]) => (contains(range, address) ? inside(address) : []))
  return [...found, ...(isIsatap(address) ? [address] : [])].map(fromQuad)
}

const kindOf = (address: Address): Kind => special.find(([range]) => contains(range, address))![1]

/** Why nothing may be sent to this address; undefined when it may. A text that is no address may not. */
export const refusal = (rules: TargetRules, text: string): string | undefined => {
  const address = parseAddress(text)
  return address === undefined ? "it is not an IP address" : refusalOf(rules, address)
}

const refusalOf = (rules: TargetRules, address: Address): string | undefined => {
  if (rules.deny.some((range) => contains(range, address))) return "WEBHOOK_DENY names it"
  if (rules.allow.some((range) => contains(range, address))) return undefined
  const kind = kindOf(address)
  if (closed.has(kind)) return `it is ${withArticle(kind)} address`
  if (rules.policy === "public" && kind !== "global") return `it is ${withArticle(kind)} address`
  for (const inside of carried(address)) {
    const why = refusalOf(rules, inside)
    if (why !== undefined) return `the address inside it is refused: ${why}`
  }
  return undefined
}

const withArticle = (kind: Kind): string => `${kind === "unspecified" ? "an" : "a"} ${kind}`

/** Reads the rules from their settings; answers what is wrong with them otherwise. */
export const readRules = (
  policy: TargetRules["policy"],
  allow: ReadonlyArray<string>,
  deny: ReadonlyArray<string>
): TargetRules | string => {
  const wrong = [...allow, ...deny].find((text) => parseRange(text) === undefined)
  if (wrong !== undefined) return `${wrong} is not an address or a CIDR range like 10.0.0.0/8`
  return { policy, allow: allow.map((text) => parseRange(text)!), deny: deny.map((text) => parseRange(text)!) }
}

/** The address in a host of a URL, or undefined when it is a name. WHATWG's parser has undone every other spelling. */
export const literalIn = (host: string): string | undefined => {
  const bare = host.replace(/^\[|\]$/g, "")
  return parseAddress(bare) === undefined ? undefined : bare
}

/** Why nothing may be sent to a URL whose host is an address; undefined when it may, or when the host is a name. */
export const urlRefusal = (rules: TargetRules, url: string): string | undefined => {
  const literal = literalIn(new URL(url).hostname)
  const why = literal === undefined ? undefined : refusal(rules, literal)
  return why === undefined ? undefined : `${literal} is refused by the target policy: ${why}.`
}
