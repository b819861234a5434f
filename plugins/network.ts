/** IP addresses, prefixes and MAC addresses, for IPv4 and IPv6 alike. */
import { BlockList, isIPv4, isIPv6 } from "node:net"
import { type Call, type Json, definePlugin } from "#plugin"

interface Address {
  readonly version: 4 | 6
  readonly value: bigint
}

interface Network extends Address {
  /** Bits of the network; all of them for a bare address. */
  readonly length: number
}

const bitsOf = (version: 4 | 6): number => (version === 4 ? 32 : 128)

const parseAddress = (text: string): Address | undefined => {
  if (isIPv4(text)) {
    return { version: 4, value: text.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n) }
  }
  // A zone (fe80::1%eth0) names an interface of some machine, and is no part of the address.
  return isIPv6(text) && !text.includes("%") ? { version: 6, value: parseIPv6(text) } : undefined
}

/** For text that is known to be an IPv6 address. */
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
  version === 4 ? dottedOf(value) : compress(groupsOf(value).map((group) => group.toString(16)))

const dottedOf = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")

const groupsOf = (value: bigint): Array<bigint> =>
  Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn)

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
const parseNetwork = (text: string): Network | undefined => {
  const [host = "", length, ...more] = text.trim().split("/")
  const address = parseAddress(host)
  if (address === undefined || more.length > 0) return undefined
  const bits = bitsOf(address.version)
  if (length === undefined) return { ...address, length: bits }
  return /^\d{1,3}$/.test(length) && Number(length) <= bits ? { ...address, length: Number(length) } : undefined
}

const network = (input: Json | undefined): Network => {
  const parsed = parseNetwork(String(input ?? ""))
  if (parsed === undefined) throw new Error(`${JSON.stringify(input ?? null)} is no IP address or prefix`)
  return parsed
}

const hostMask = ({ version, length }: Network): bigint => (1n << BigInt(bitsOf(version) - length)) - 1n

const base = (of: Network): bigint => of.value & ~hostMask(of)

const top = (of: Network): bigint => of.value | hostMask(of)

const at = ({ version }: Address, value: bigint): string => {
  if (value < 0n || value >> BigInt(bitsOf(version)) !== 0n) throw new Error("the address is out of range")
  return writeAddress({ version, value })
}

/** Whether the network address and the broadcast address are no hosts: in IPv4, but for links of two and for one host. */
const reservesEnds = ({ version, length }: Network): boolean => version === 4 && length < 31

const integer = (value: Json | undefined, what: string): number => {
  if (typeof value !== "number" || !Number.isInteger(value)) throw new Error(`${what} must be an integer`)
  return value
}

/** Networks that a template may list at once. */
const subnetsMost = 4096

const subnets = (call: Call, of: Network, length: number): Array<string> => {
  if (length < of.length || length > bitsOf(of.version)) throw new Error(`/${of.length} has no networks of /${length}`)
  const count = 2 ** (length - of.length)
  if (count > subnetsMost) throw new Error(`more than ${subnetsMost} networks`)
  call.charge(count, count * 16)
  const step = 1n << BigInt(bitsOf(of.version) - length)
  return Array.from({ length: count }, (_, index) => `${at(of, base(of) + BigInt(index) * step)}/${length}`)
}

/** The name that the address has in the reverse DNS. */
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
  const of = parseNetwork(String(input ?? ""))
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

const mac = (input: Json | undefined): string => {
  const digits = macDigits(input)
  if (digits === undefined) throw new Error(`${JSON.stringify(input ?? null)} is no MAC address`)
  return digits
}

const macFormats: Readonly<Record<string, (digits: string) => string>> = {
  colon: (digits) => digits.match(/../g)!.join(":"),
  hyphen: (digits) => digits.match(/../g)!.join("-"),
  dot: (digits) => digits.match(/..../g)!.join("."),
  bare: (digits) => digits
}

const writeMac = (input: Json | undefined, format: Json): string => {
  const write = Object.hasOwn(macFormats, String(format)) ? macFormats[String(format)] : undefined
  if (write === undefined)
    throw new Error(`the format of a MAC address is one of ${Object.keys(macFormats).join(", ")}`)
  return write(mac(input))
}

/** The address that a host gives itself in an IPv6 prefix (modified EUI-64). */
const eui64 = (input: Json | undefined, prefix: Json): string => {
  const digits = mac(input)
  const of = network(prefix)
  if (of.version !== 6 || of.length > 64) throw new Error("the prefix must be IPv6 and at most /64")
  const id = BigInt(`0x${digits.slice(0, 6)}fffe${digits.slice(6)}`) ^ (2n << 56n)
  return at(of, (base(of) & ~((1n << 64n) - 1n)) | id)
}

const version = (value: Json | undefined): 4 | 6 => {
  if (value === 4 || value === 6) return value
  throw new Error("the version is 4 or 6")
}

export default definePlugin({
  name: "network",
  description: "IP addresses, prefixes and MAC addresses, for IPv4 and IPv6.",
  filters: {
    ip_address: (_call, input) => at(network(input), network(input).value),
    ip_version: (_call, input) => network(input).version,
    ip_int: (_call, input) => network(input).value,
    ip_from_int: (_call, input, of = 4) => {
      if (typeof input !== "number" && typeof input !== "bigint") throw new Error("an address is made of an integer")
      return at({ version: version(of), value: 0n }, BigInt(input))
    },
    ip_expand: (_call, input) => {
      const of = network(input)
      if (of.version === 4) return at(of, of.value)
      return groupsOf(of.value)
        .map((group) => group.toString(16).padStart(4, "0"))
        .join(":")
    },
    ip_reverse: (_call, input) => reverseName(network(input)),
    ip_add: (_call, input, count = 1) => at(network(input), network(input).value + BigInt(integer(count, "the count"))),
    prefix: (_call, input) => `${at(network(input), base(network(input)))}/${network(input).length}`,
    prefix_network: (_call, input) => at(network(input), base(network(input))),
    prefix_length: (_call, input) => network(input).length,
    prefix_netmask: (_call, input) => {
      const of = network(input)
      return at(of, ((1n << BigInt(bitsOf(of.version))) - 1n) ^ hostMask(of))
    },
    prefix_wildcard: (_call, input) => at(network(input), hostMask(network(input))),
    prefix_broadcast: (_call, input) => at(network(input), top(network(input))),
    prefix_first: (_call, input) => at(network(input), base(network(input)) + (reservesEnds(network(input)) ? 1n : 0n)),
    prefix_last: (_call, input) => at(network(input), top(network(input)) - (reservesEnds(network(input)) ? 1n : 0n)),
    prefix_size: (_call, input) => hostMask(network(input)) + 1n,
    prefix_host: (_call, input, number = 1) => {
      const of = network(input)
      const index = BigInt(integer(number, "the number"))
      const value = index < 0n ? top(of) + 1n + index : base(of) + index
      if (value < base(of) || value > top(of)) throw new Error(`the prefix has no address ${index}`)
      return at(of, value)
    },
    prefix_subnets: (call, input, length = 0) => subnets(call, network(input), integer(length, "the length")),
    prefix_supernet: (_call, input, length = 0) => {
      const of = network(input)
      const shorter = { ...of, length: integer(length, "the length") }
      if (shorter.length < 0 || shorter.length > of.length) throw new Error("a supernet is not longer than its prefix")
      return `${at(of, base(shorter))}/${shorter.length}`
    },
    mac_format: (_call, input, format = "colon") => writeMac(input, format),
    mac_oui: (_call, input) => macFormats["colon"]!(mac(input)).slice(0, 8),
    mac_eui64: (_call, input, prefix = "fe80::/64") => eui64(input, prefix)
  },
  tests: {
    ip: (_call, input) => parseNetwork(String(input ?? "")) !== undefined,
    ipv4: (_call, input) => parseNetwork(String(input ?? ""))?.version === 4,
    ipv6: (_call, input) => parseNetwork(String(input ?? ""))?.version === 6,
    prefix: (_call, input) => {
      const of = parseNetwork(String(input ?? ""))
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
    {
      template: "{{ '192.0.2.10/24'|ip_address }} {{ '2001:DB8:0:0::1'|ip_address }}",
      expect: "192.0.2.10 2001:db8::1"
    },
    {
      template: "{{ '::ffff:192.0.2.1'|ip_address }} {{ '1:0:0:2:0:0:0:3'|ip_address }}",
      expect: "::ffff:c000:201 1:0:0:2::3"
    },
    { template: "{{ '2001:db8::1/64'|ip_version }} {{ '192.0.2.1'|ip_version }}", expect: "6 4" },
    {
      template: "{{ '192.0.2.1'|ip_int }} {{ 'ff::'|ip_int }}",
      expect: "3221225985 1324035698926381045275276563951124480"
    },
    { template: "{{ 3221225985|ip_from_int }} {{ 1|ip_from_int(6) }}", expect: "192.0.2.1 ::1" },
    { template: "{{ '2001:db8::1'|ip_expand }}", expect: "2001:0db8:0000:0000:0000:0000:0000:0001" },
    { template: "{{ '192.0.2.10/24'|ip_reverse }}", expect: "10.2.0.192.in-addr.arpa" },
    {
      template: "{{ '2001:db8::1'|ip_reverse }}",
      expect: "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
    },
    { template: "{{ '192.0.2.255'|ip_add }} {{ '::'|ip_add(65536) }}", expect: "192.0.3.0 ::1:0" },
    { template: "{{ '255.255.255.255'|ip_add }}", expect: { error: "Plugin" } },
    { template: "{{ '192.0.2.10/24'|prefix }} {{ '2001:db8::5/48'|prefix }}", expect: "192.0.2.0/24 2001:db8::/48" },
    {
      template:
        "{{ '192.0.2.10/26'|prefix_netmask }} {{ '192.0.2.10/26'|prefix_wildcard }} {{ '192.0.2.10/26'|prefix_length }}",
      expect: "255.255.255.192 0.0.0.63 26"
    },
    {
      template:
        "{{ '192.0.2.10/24'|prefix_network }} {{ '192.0.2.10/24'|prefix_first }} {{ '192.0.2.10/24'|prefix_last }} {{ '192.0.2.10/24'|prefix_broadcast }}",
      expect: "192.0.2.0 192.0.2.1 192.0.2.254 192.0.2.255"
    },
    {
      template: "{{ '192.0.2.0/31'|prefix_first }} {{ '2001:db8::/126'|prefix_last }}",
      expect: "192.0.2.0 2001:db8::3"
    },
    {
      template: "{{ '192.0.2.0/24'|prefix_size }} {{ '::/0'|prefix_size }}",
      expect: "256 340282366920938463463374607431768211456"
    },
    {
      template: "{{ '192.0.2.0/24'|prefix_host(10) }} {{ '192.0.2.0/24'|prefix_host(-2) }}",
      expect: "192.0.2.10 192.0.2.254"
    },
    {
      template: "{{ '192.0.2.0/24'|prefix_subnets(26)|join(' ') }}",
      expect: "192.0.2.0/26 192.0.2.64/26 192.0.2.128/26 192.0.2.192/26"
    },
    { template: "{{ '192.0.2.77/26'|prefix_supernet(24) }}", expect: "192.0.2.0/24" },
    {
      template: "{{ 'AABB.CCDD.EEFF'|mac_format }} {{ 'aa-bb-cc-dd-ee-ff'|mac_format('dot') }}",
      expect: "aa:bb:cc:dd:ee:ff aabb.ccdd.eeff"
    },
    {
      template: "{{ 'AABBCCDDEEFF'|mac_oui }} {{ '52:54:00:12:34:56'|mac_eui64 }}",
      expect: "aa:bb:cc fe80::5054:ff:fe12:3456"
    },
    { template: "{{ 'x'|ip_address }}", expect: { error: "Plugin" } },
    {
      template: "{{ '10.1.2.3' is private_ip }} {{ 'fd00::1' is private_ip }} {{ '192.0.2.1' is private_ip }}",
      expect: "True True False"
    },
    {
      template: "{{ '192.0.2.77' is in_prefix('192.0.2.0/24') }} {{ '2001:db8::1' is in_prefix('192.0.2.0/24') }}",
      expect: "True False"
    },
    {
      template: "{{ '192.0.2.0/24' is prefix }} {{ '192.0.2.1/24' is prefix }} {{ '1.2.3' is ip }} {{ '::1' is ipv6 }}",
      expect: "True False False True"
    },
    {
      template: "{{ '127.0.0.1' is loopback_ip }} {{ 'fe80::1' is link_local_ip }} {{ '224.0.0.5' is multicast_ip }}",
      expect: "True True True"
    },
    { template: "{{ 'aa:bb:cc:dd:ee:ff' is mac }} {{ 'aa:bb-cc:dd:ee:ff' is mac }}", expect: "True False" }
  ]
})
