import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { type Field, invalid, makeField, notList, printed, value } from "../Field.ts"
import { parseArray } from "./List.ts"

/** Most networks of a list: an address is compared with each at every request. */
const networksMax = 100

/** Networks in CIDR notation; a single address is a network of one. */
export const networks = (): Field<ReadonlyArray<string>> =>
  makeField(
    {
      type: "text[]",
      isFiltered: false,
      initial: () => [],
      sqlDefault: "'{}'",
      fromText: parseArray,
      parse: (input) => {
        if (!Array.isArray(input)) return invalid(notList(input))
        if (input.length > networksMax) return invalid(`Ensure this field has no more than ${networksMax} elements.`)
        const read = input.map(parseIpNetwork)
        const wrong = input.filter((_, at) => read[at] === undefined)
        if (wrong.length > 0) return invalid(...wrong.map((each) => `Invalid IP address format: ${printed(each)}`))
        return value([...new Set(read.map((network) => IpNetwork.format(network!)))])
      }
    },
    {}
  )

/** Reads `192.0.2.0/24` or `192.0.2.1`; an IPv4 network inside IPv6 is that IPv4 network. Undefined for others. */
export const parseIpNetwork = (input: unknown): IpNetwork.IpNetwork | undefined => {
  if (typeof input !== "string") return undefined
  const [address = "", length, ...rest] = input.trim().split("/")
  const parsed = Result.getOrUndefined(NetAddress.ipFromString(address))
  if (parsed === undefined || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  const canonical = NetAddress.toCanonical(parsed)
  const width = NetAddress.isIpv4Address(parsed) ? 32 : 128
  const shorter = NetAddress.isIpv4Address(canonical) ? width - 32 : 0
  return Result.getOrUndefined(IpNetwork.make(canonical, (length === undefined ? width : Number(length)) - shorter))
}
