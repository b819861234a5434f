/** IP addresses, prefixes and MAC addresses, for IPv4 and IPv6 alike. */
import { BlockList, isIPv4, isIPv6 } from "node:net"
import { type Call, type Filter, type Json, definePlugin } from "#plugin"

interface Address {
  readonly version: 4 | 6
  readonly value: bigint
}

interface Network extends Address {
  /** Length of the prefix, bits; for a bare address all bits. */
  readonly length: number
}

const bitsOf = (version: 4 | 6): number => (version === 4 ? 32 : 128)

const parseAddress = (text: string): Address | undefined => {
  if (isIPv4(text)) {
    return { version: 4, value: text.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n) }
  }
  // A zone (fe80::1%eth0) names an interface of a machine and does not belong to the address.
  return isIPv6(text) && !text.includes("%") ? { version: 6, value: parseIPv6(text) } : undefined
}

/** Parses text that is a valid IPv6 address. */
const parseIPv6 = (text: string): bigint => {
  const tail = text.slice(text.lastIndexOf(":") + 1)
  const dotted = tail.includes(".") ? parseAddress(tail)!.value : undefined
  const plain =
    dotted === undefined
      ? text
      : `${text.slice(0, -tail.length)}${(dotted >> 16n).toString(16)}:${(dotted & 0xffffn).toString(16)}`
  const [head = "", rest] = plain.split("::")
  const groups = (part: string) => (part === "" ? [] : part.split(":"))
  const after = groups(rest ?? "")
  const zeros = 8 - groups(head).length - after.length
  return [...groups(head), ...Array.from({ length: zeros }, () => "0"), ...after].reduce(
    (value, group) => value * 65536n + BigInt(`0x${group}`),
    0n
  )
}

const writeAddress = ({ version, value }: Address): string =>
  version === 4 ? dottedOf(value) : compress(hexOf(value, 1))

const dottedOf = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")

/** The groups of an IPv6 address, padded to at least that many digits. */
const hexOf = (value: bigint, digits: number): Array<string> =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).map((group) =>
    group.padStart(digits, "0")
  )

/** RFC 5952: the longest run of zeros, the first of equal ones, becomes `::`; a single zero stays. */
const compress = (groups: ReadonlyArray<string>): string => {
  let start = 0
  let length = 1
  for (let from = 0; from < 8; from++) {
    let to = from
    while (groups[to] === "0") to++
    if (to - from > length) {
      start = from
      length = to - from
    }
  }
  if (length < 2) return groups.join(":")
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`
}

/** An address, with or without the length of its prefix. */
const parseNetwork = (input: Json | undefined): Network | undefined => {
  const [host = "", length, ...more] = String(input ?? "")
    .trim()
    .split("/")
  const address = parseAddress(host)
  if (address === undefined || more.length > 0) return undefined
  const bits = bitsOf(address.version)
  if (length === undefined) return { ...address, length: bits }
  return /^\d{1,3}$/.test(length) && Number(length) <= bits ? { ...address, length: Number(length) } : undefined
}

const network = (input: Json | undefined): Network => {
  const parsed = parseNetwork(input)
  if (parsed === undefined) throw new Error(`${JSON.stringify(input ?? null)} is no IP address or prefix`)
  return parsed
}

/** A filter whose input must be an address or a prefix. */
const onNetwork =
  (compute: (of: Network, argument?: Json) => Json): Filter =>
  (_call, input, argument) =>
    compute(network(input), argument)

const hostMask = ({ version, length }: Network): bigint => (1n << BigInt(bitsOf(version) - length)) - 1n

const base = (of: Network): bigint => of.value & ~hostMask(of)

const top = (of: Network): bigint => of.value | hostMask(of)

const at = ({ version }: Address, value: bigint): string => {
  if (value < 0n || value >> BigInt(bitsOf(version)) !== 0n) throw new Error("the address is out of range")
  return writeAddress({ version, value })
}

/** Whether the first and the last address are reserved, for the network and broadcast: in IPv4 up to /30. */
const reservesEnds = ({ version, length }: Network): boolean => version === 4 && length < 31

const integer = (value: Json | undefined, what: string): number => {
  if (typeof value !== "number" || !Number.isInteger(value)) throw new Error(`${what} must be an integer`)
  return value
}

const hostAt = (of: Network, index: bigint): string => {
  const value = index < 0n ? top(of) + 1n + index : base(of) + index
  if (value < base(of) || value > top(of)) throw new Error(`the prefix has no address ${index}`)
  return at(of, value)
}

const supernet = (of: Network, longest: number): string => {
  if (of.length < 0 || of.length > longest) throw new Error("a supernet is not longer than its prefix")
  return `${at(of, base(of))}/${of.length}`
}

/** Most networks that a template may list at once. */
const subnetsMost = 4096

const subnets = (call: Call, of: Network, length: number): Array<string> => {
  if (length < of.length || length > bitsOf(of.version)) throw new Error(`/${of.length} has no networks of /${length}`)
  const count = 2 ** (length - of.length)
  if (count > subnetsMost) throw new Error(`more than ${subnetsMost} networks`)
  call.charge(count, count * 16)
  const step = 1n << BigInt(bitsOf(of.version) - length)
  return Array.from({ length: count }, (_, index) => `${at(of, base(of) + BigInt(index) * step)}/${length}`)
}

/** The name of the address in reverse DNS. */
const reverseName = ({ version, value }: Address): string =>
  version === 4
    ? `${dottedOf(value).split(".").toReversed().join(".")}.in-addr.arpa`
    : `${[...value.toString(16).padStart(32, "0")].toReversed().join(".")}.ip6.arpa`

const blockList = (...prefixes: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const prefix of prefixes) {
    const { version, value, length } = network(prefix)
    list.addSubnet(at({ version, value }, value), length, version === 4 ? "ipv4" : "ipv6")
  }
  return list
}

const privateUse = blockList("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
const loopback = blockList("127.0.0.0/8", "::1/128")
const linkLocal = blockList("169.254.0.0/16", "fe80::/10")
const multicast = blockList("224.0.0.0/4", "ff00::/8")

const isIn = (list: BlockList) => (_call: Call, input: Json | undefined) => {
  const of = parseNetwork(input)
  return of !== undefined && list.check(at(of, of.value), of.version === 4 ? "ipv4" : "ipv6")
}

const contains = (outer: Network, inner: Network): boolean =>
  outer.version === inner.version &&
  outer.length <= inner.length &&
  base(outer) === base({ ...inner, length: outer.length })

const macDigits = (input: Json | undefined): string | undefined => {
  const text = String(input ?? "").trim()
  const shape =
    /^(?:[\da-f]{12}|[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|[\da-f]{4}([.:-])[\da-f]{4}\2[\da-f]{4}|[\da-f]{6}-[\da-f]{6})$/i
  return shape.test(text) ? text.replace(/[^\da-f]/gi, "").toLowerCase() : undefined
}

const macFormats: Readonly<Record<string, (digits: string) => string>> = {
  colon: (digits) => digits.match(/../g)!.join(":"),
  hyphen: (digits) => digits.match(/../g)!.join("-"),
  dot: (digits) => digits.match(/..../g)!.join("."),
  bare: (digits) => digits
}

const writeMac = (input: Json | undefined, format: Json): string => {
  const write = Object.hasOwn(macFormats, String(format)) ? macFormats[String(format)] : undefined
  if (write === undefined) {
    throw new Error(`the format of a MAC address is one of ${Object.keys(macFormats).join(", ")}`)
  }
  const digits = macDigits(input)
  if (digits === undefined) throw new Error(`${JSON.stringify(input ?? null)} is no MAC address`)
  return write(digits)
}

/** The address that a host configures for itself in an IPv6 prefix (modified EUI-64). */
const eui64 = (input: Json | undefined, prefix: Json): string => {
  const digits = writeMac(input, "bare")
  const of = network(prefix)
  if (of.version !== 6 || of.length > 64) throw new Error("the prefix must be IPv6 and at most /64")
  const id = BigInt(`0x${digits.slice(0, 6)}fffe${digits.slice(6)}`) ^ (2n << 56n)
  return at(of, (base(of) & ~((1n << 64n) - 1n)) | id)
}

const version = (value: Json | undefined): 4 | 6 => {
  if (value === 4 || value === 6) return value
  throw new Error("the version is 4 or 6")
}

/** Templates and their results, for the examples. */
const results = {
  "{{ '192.0.2.10/24'|ip_address }} {{ '2001:DB8:0:0::1'|ip_address }}": "192.0.2.10 2001:db8::1",
  "{{ '::ffff:192.0.2.1'|ip_address }} {{ '1:0:0:2:0:0:0:3'|ip_address }}": "::ffff:c000:201 1:0:0:2::3",
  "{{ '2001:db8::1/64'|ip_version }} {{ '192.0.2.1'|ip_version }}": "6 4",
  "{{ '192.0.2.1'|ip_int }} {{ 'ff::'|ip_int }}": "3221225985 1324035698926381045275276563951124480",
  "{{ 3221225985|ip_from_int }} {{ 1|ip_from_int(6) }}": "192.0.2.1 ::1",
  "{{ '2001:db8::1'|ip_expand }}": "2001:0db8:0000:0000:0000:0000:0000:0001",
  "{{ '192.0.2.10/24'|ip_reverse }}": "10.2.0.192.in-addr.arpa",
  "{{ '2001:db8::1'|ip_reverse }}": "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
  "{{ '192.0.2.255'|ip_add }} {{ '::'|ip_add(65536) }}": "192.0.3.0 ::1:0",
  "{{ '192.0.2.10/24'|prefix }} {{ '2001:db8::5/48'|prefix }}": "192.0.2.0/24 2001:db8::/48",
  "{{ '192.0.2.10/26'|prefix_netmask }} {{ '192.0.2.10/26'|prefix_wildcard }} {{ '192.0.2.10/26'|prefix_length }}":
    "255.255.255.192 0.0.0.63 26",
  "{{ '192.0.2.10/24'|prefix_network }} {{ '192.0.2.10/24'|prefix_first }} {{ '192.0.2.10/24'|prefix_last }} {{ '192.0.2.10/24'|prefix_broadcast }}":
    "192.0.2.0 192.0.2.1 192.0.2.254 192.0.2.255",
  "{{ '192.0.2.0/31'|prefix_first }} {{ '2001:db8::/126'|prefix_last }}": "192.0.2.0 2001:db8::3",
  "{{ '192.0.2.0/24'|prefix_size }} {{ '::/0'|prefix_size }}": "256 340282366920938463463374607431768211456",
  "{{ '192.0.2.0/24'|prefix_host(10) }} {{ '192.0.2.0/24'|prefix_host(-2) }}": "192.0.2.10 192.0.2.254",
  "{{ '192.0.2.0/24'|prefix_subnets(26)|join(' ') }}": "192.0.2.0/26 192.0.2.64/26 192.0.2.128/26 192.0.2.192/26",
  "{{ '192.0.2.77/26'|prefix_supernet(24) }}": "192.0.2.0/24",
  "{{ 'AABB.CCDD.EEFF'|mac_format }} {{ 'aa-bb-cc-dd-ee-ff'|mac_format('dot') }}": "aa:bb:cc:dd:ee:ff aabb.ccdd.eeff",
  "{{ 'AABBCCDDEEFF'|mac_oui }} {{ '52:54:00:12:34:56'|mac_eui64 }}": "aa:bb:cc fe80::5054:ff:fe12:3456",
  "{{ '10.1.2.3' is private_ip }} {{ 'fd00::1' is private_ip }} {{ '192.0.2.1' is private_ip }}": "True True False",
  "{{ '192.0.2.77' is in_prefix('192.0.2.0/24') }} {{ '2001:db8::1' is in_prefix('192.0.2.0/24') }}": "True False",
  "{{ '192.0.2.0/24' is prefix }} {{ '192.0.2.1/24' is prefix }} {{ '1.2.3' is ip }} {{ '::1' is ipv6 }}":
    "True False False True",
  "{{ '127.0.0.1' is loopback_ip }} {{ 'fe80::1' is link_local_ip }} {{ '224.0.0.5' is multicast_ip }}":
    "True True True",
  "{{ 'aa:bb:cc:dd:ee:ff' is mac }} {{ 'aa:bb-cc:dd:ee:ff' is mac }}": "True False"
}

export default definePlugin({
  name: "network",
  description: "IP addresses, prefixes and MAC addresses, for IPv4 and IPv6.",
  filters: {
    ip_address: onNetwork((of) => at(of, of.value)),
    ip_version: onNetwork(({ version }) => version),
    ip_int: onNetwork(({ value }) => value),
    ip_from_int: (_call, input, of = 4) => {
      if (typeof input !== "number" && typeof input !== "bigint") throw new Error("an address is made of an integer")
      return at({ version: version(of), value: 0n }, BigInt(input))
    },
    ip_expand: onNetwork(({ version, value }) => (version === 4 ? dottedOf(value) : hexOf(value, 4).join(":"))),
    ip_reverse: onNetwork(reverseName),
    ip_add: onNetwork((of, count = 1) => at(of, of.value + BigInt(integer(count, "the count")))),
    prefix: onNetwork((of) => `${at(of, base(of))}/${of.length}`),
    prefix_network: onNetwork((of) => at(of, base(of))),
    prefix_length: onNetwork(({ length }) => length),
    prefix_netmask: onNetwork((of) => at(of, base({ ...of, value: (1n << BigInt(bitsOf(of.version))) - 1n }))),
    prefix_wildcard: onNetwork((of) => at(of, hostMask(of))),
    prefix_broadcast: onNetwork((of) => at(of, top(of))),
    prefix_first: onNetwork((of) => at(of, base(of) + (reservesEnds(of) ? 1n : 0n))),
    prefix_last: onNetwork((of) => at(of, top(of) - (reservesEnds(of) ? 1n : 0n))),
    prefix_size: onNetwork((of) => hostMask(of) + 1n),
    prefix_host: onNetwork((of, number = 1) => hostAt(of, BigInt(integer(number, "the number")))),
    prefix_subnets: (call, input, length = 0) => subnets(call, network(input), integer(length, "the length")),
    prefix_supernet: onNetwork((of, length = 0) =>
      supernet({ ...of, length: integer(length, "the length") }, of.length)
    ),
    mac_format: (_call, input, format = "colon") => writeMac(input, format),
    mac_oui: (_call, input) => writeMac(input, "colon").slice(0, 8),
    mac_eui64: (_call, input, prefix = "fe80::/64") => eui64(input, prefix)
  },
  tests: {
    ip: (_call, input) => parseNetwork(input) !== undefined,
    ipv4: (_call, input) => parseNetwork(input)?.version === 4,
    ipv6: (_call, input) => parseNetwork(input)?.version === 6,
    prefix: (_call, input) => {
      const of = parseNetwork(input)
      return of !== undefined && String(input).includes("/") && base(of) === of.value
    },
    in_prefix: (_call, input, prefix = "") => contains(network(prefix), network(input)),
    private_ip: isIn(privateUse),
    loopback_ip: isIn(loopback),
    link_local_ip: isIn(linkLocal),
    multicast_ip: isIn(multicast),
    mac: (_call, input) => macDigits(input) !== undefined
  },
  examples: [
    ...Object.entries(results).map(([template, expect]) => ({ template, expect })),
    { template: "{{ '255.255.255.255'|ip_add }}", expect: { error: "Plugin" } },
    { template: "{{ 'x'|ip_address }}", expect: { error: "Plugin" } }
  ]
})
