/**
 * IP addresses as numbers, to compare them with ranges.
 *
 * IPv4 lies in `::ffff:0:0/96`, so an IPv4-mapped address equals its IPv4 address.
 */

/** 128 bits. */
export type Address = bigint

export interface Range {
  readonly base: Address
  /** Length of the prefix, of 128 bits. */
  readonly length: number
}

const mapped = 0xffffn << 32n

/** Parses an address in the formats of resolvers and sockets; undefined for anything else, such as host names. */
export const parseAddress = (text: string): Address | undefined => {
  // A zone names the interface and does not belong to the address.
  const bare = text.replace(/%.*$/, "")
  return bare.includes(":") ? parseV6(bare) : parseV4(bare)
}

const parseV4 = (text: string): Address | undefined => {
  const bits = quadBits(text)
  return bits === undefined ? undefined : mapped | bits
}

/** Parses four decimal numbers with dots. Leading zeros are invalid, because some programs read them as octal. */
const quadBits = (text: string): bigint | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined
  }
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

const parseV6 = (text: string): Address | undefined => {
  const [before = "", after, ...rest] = text.split("::")
  if (rest.length > 0) return undefined
  const head = groupsOf(before, after === undefined)
  const tail = after === undefined ? [] : groupsOf(after, true)
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (after === undefined ? missing !== 0 : missing < 1) return undefined
  const all = [...head, ...Array.from({ length: missing }, () => 0n), ...tail]
  return all.reduce((bits, group) => (bits << 16n) | group, 0n)
}

/** The 16-bit groups of one side of `::`; an IPv4 address at the end of the last one is two groups. */
const groupsOf = (text: string, isLast: boolean): ReadonlyArray<bigint> | undefined => {
  if (text === "") return []
  const groups: Array<bigint> = []
  const parts = text.split(":")
  for (const [at, part] of parts.entries()) {
    const quad = isLast && at === parts.length - 1 && part.includes(".") ? quadBits(part) : undefined
    if (quad !== undefined) groups.push(quad >> 16n, quad & 0xffffn)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`))
    else return undefined
  }
  return groups
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; undefined for anything else. */
export const parseRange = (text: string): Range | undefined => {
  const [address = "", bits, ...rest] = text.trim().split("/")
  const base = parseAddress(address)
  if (base === undefined || rest.length > 0 || address.includes("%")) return undefined
  const width = address.includes(":") ? 128 : 32
  if (bits === undefined) return { base, length: 128 }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > width) return undefined
  return { base, length: 128 - width + Number(bits) }
}

export const contains = ({ base, length }: Range, address: Address): boolean => {
  const shift = BigInt(128 - length)
  return base >> shift === address >> shift
}

/** The 32 bits of an IPv4 address. */
export const fromQuad = (bits: bigint): Address => mapped | (bits & 0xffff_ffffn)
