import { parseAddress } from "../Address.ts"
import type { DerivedValue } from "../Derived.ts"
import {
  type Field,
  type Optional,
  type Options,
  type ParseResult,
  type Row,
  invalid,
  makeField,
  printed,
  value
} from "../Field.ts"

/** An IP network or the address of a host in one, as numbers. */
export interface Network {
  readonly family: 4 | 6
  /** The address: 32 bits, or 128. */
  readonly bits: bigint
  /** Length of the prefix. */
  readonly length: number
}

export const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128)

/** Reads `10.0.0.1/24`; without a length it is a single host. Undefined for what is neither. */
export const parseNetwork = (text: string): Network | undefined => {
  const [address = "", length, ...rest] = text.trim().split("/")
  const bits = /[%\s]/.test(address) ? undefined : parseAddress(address)
  if (bits === undefined || rest.length > 0) return undefined
  const family = address.includes(":") ? 6 : 4
  const width = widthOf(family)
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > width)) return undefined
  return {
    family,
    bits: family === 4 ? bits & 0xffff_ffffn : bits,
    length: length === undefined ? width : Number(length)
  }
}

/** The network as Postgres prints it, its length always with it. */
export const printNetwork = ({ family, bits, length }: Network): string => `${printAddress(family, bits)}/${length}`

export const printAddress = (family: 4 | 6, bits: bigint): string =>
  family === 4 ? printQuad(bits) : printGroups(bits)

const printQuad = (bits: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".")

const printGroups = (bits: bigint): string => {
  const groups = Array.from({ length: 8 }, (_, at) => Number((bits >> BigInt(112 - at * 16)) & 0xffffn))
  const { from, count } = longestZeros(groups)
  // The notation of Postgres for an IPv4 address inside an IPv6 one.
  if (from === 0 && (count === 6 || (count === 5 && groups[5] === 0xffff))) {
    return `::${count === 5 ? "ffff:" : ""}${printQuad(bits & 0xffff_ffffn)}`
  }
  const words = groups.map((group) => group.toString(16))
  if (count < 2) return words.join(":")
  return `${words.slice(0, from).join(":")}::${words.slice(from + count).join(":")}`
}

const longestZeros = (groups: ReadonlyArray<number>): { readonly from: number; readonly count: number } => {
  let best = { from: -1, count: 0 }
  for (let from = 0; from < groups.length; from++) {
    let count = 0
    while (groups[from + count] === 0) count += 1
    if (count > best.count) best = { from, count }
    from += count
  }
  return best
}

/** The first address of the network. */
export const baseOf = ({ family, bits, length }: Network): bigint => {
  const shift = BigInt(widthOf(family) - length)
  return (bits >> shift) << shift
}

/** The last address of the network. */
export const lastOf = (network: Network): bigint =>
  baseOf(network) | ((1n << BigInt(widthOf(network.family) - network.length)) - 1n)

/** Postgres omits the length of a single host. */
const withLength = (text: string): string => {
  if (text.includes("/")) return text
  return `${text}/${text.includes(":") ? 128 : 32}`
}

const network = <Value>(
  type: "inet" | "cidr",
  options: Options,
  refuse: (found: Network) => string | undefined
): Field<Value> =>
  makeField(
    {
      type,
      nullable: options.optional === true,
      initial: options.optional === true ? () => null : undefined,
      fromJson: (text) => withLength(String(text)),
      fromText: withLength,
      parse: (input): ParseResult => {
        const found = typeof input === "string" ? parseNetwork(input) : undefined
        if (found === undefined) {
          return invalid(`Invalid IP address format: ${printed(input)}`)
        }
        const refusal = refuse(found)
        return refusal === undefined ? value(printNetwork(found)) : invalid(refusal)
      }
    },
    options
  )

/** The address of a host with the length of its network: `10.0.0.1/24`. */
export const address = <const O extends Options = Options>(options: O = {} as O): Field<Optional<O, string>> =>
  network("inet", { placeholder: "192.0.2.1/24", ...options }, () => undefined)

/** A network: `10.0.0.0/24`. */
export const prefix = <const O extends Options = Options>(options: O = {} as O): Field<Optional<O, string>> =>
  network("cidr", { placeholder: "192.0.2.0/24", ...options }, (found) => {
    const base = baseOf(found)
    if (base === found.bits) return undefined
    return `${printNetwork(found)} is not a valid prefix. Did you mean ${printNetwork({ ...found, bits: base })}?`
  })

/** A MAC address of 6 octets, or a world wide name of 8; in capitals, as NetBox shows it. */
const octets = (type: "macaddr" | "macaddr8", count: number, refusal: string, options: Options): Field<string | null> =>
  makeField(
    {
      type,
      placeholder: Array.from({ length: count }, (_, at) => `0${at}`).join(":"),
      nullable: options.optional === true,
      initial: options.optional === true ? () => null : undefined,
      fromJson: (text) => String(text).toUpperCase(),
      fromText: (text) => text.toUpperCase(),
      parse: (input) => {
        const digits = typeof input === "string" ? input.trim().replaceAll(/[:.-]/g, "") : ""
        if (digits === "" && input === "" && options.optional === true) return value(null)
        if (!/^[0-9a-f]+$/i.test(digits) || digits.length !== count * 2) return invalid(refusal)
        return value(digits.replaceAll(/..(?=.)/g, "$&:").toUpperCase())
      }
    },
    options
  )

export const mac = (options: Options = {}): Field<string | null> =>
  octets("macaddr", 6, "Invalid MAC address format.", options)

export const wwn = (options: Options = {}): Field<string | null> =>
  octets("macaddr8", 8, "Invalid WWN format.", options)

/** The family of the address or network in this field: with its label, and in a brief representation the number alone. */
export const family = (field: string): DerivedValue => {
  const of = (row: Row) => (String(row[field]).includes(":") ? 6 : 4)
  return {
    shape: { kind: "family" },
    of: (row) => ({ value: of(row), label: `IPv${of(row)}` }),
    brief: { shape: { kind: "integer" }, of }
  }
}
