/** Addresses and prefixes inside networks, for the operator `within`. Pure. */
import { type Network, baseOf, lastOf, parseNetwork } from "../../field/Network.ts"

/** The networks of a clause's value. Throws an Error for a value that is not one. */
export const networksIn = (value: unknown): ReadonlyArray<Network> => {
  const texts: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return texts.map((text) => {
    const network = typeof text === "string" ? parseNetwork(text) : undefined
    if (network === undefined) throw new Error(`invalid CIDR: ${String(text)}`)
    return network
  })
}

/**
 * Whether a text is inside one of the networks: a prefix as a whole, `10.0.0.1/24` by its address. Undefined for a text that
 * is neither.
 */
export const isWithin = (text: string, networks: ReadonlyArray<Network>): boolean | undefined => {
  const inner = parseNetwork(text)
  if (inner === undefined) return undefined
  const isAddress = inner.bits !== baseOf(inner)
  const last = isAddress ? inner.bits : lastOf(inner)
  return networks.some(
    (network) => network.family === inner.family && baseOf(network) <= inner.bits && last <= lastOf(network)
  )
}
