/** Free addresses, networks and VLAN ids, as gaps between those that are taken. Pure. */
import { type Network, baseOf, lastOf, printAddress, printNetwork, widthOf } from "../../field/Network.ts"

/** From the first to the last. */
export interface Gap {
  readonly first: bigint
  readonly last: bigint
}

/** The first numbers of the gaps, at most `count`. */
export const firstOf = (gaps: ReadonlyArray<Gap>, count: number): ReadonlyArray<bigint> => {
  const found: Array<bigint> = []
  for (const { first, last } of gaps) {
    for (let at = first; at <= last && found.length < count; at++) found.push(at)
  }
  return found
}

export const sizeOf = (gaps: ReadonlyArray<Gap>): bigint =>
  gaps.reduce((size, { first, last }) => size + (last - first + 1n), 0n)

/** The addresses of a network that hosts can have; in a pool, all of them. */
export const hostsOf = (network: Network, isPool: boolean): Gap => {
  const whole = { first: baseOf(network), last: lastOf(network) }
  if (isPool || network.length >= widthOf(network.family) - 1) return whole
  // The first address of an IPv6 network is the routers' anycast address; there is no broadcast address.
  return network.family === 4
    ? { first: whole.first + 1n, last: whole.last - 1n }
    : { ...whole, first: whole.first + 1n }
}

/** The fewest networks that fill the gaps, in the order of their addresses. */
export const networksIn = (family: 4 | 6, gaps: ReadonlyArray<Gap>): ReadonlyArray<Network> => {
  const found: Array<Network> = []
  for (const { first, last } of gaps) {
    let bits = first
    while (bits <= last) {
      let length = widthOf(family)
      while (length > 0) {
        const wider = { family, bits, length: length - 1 }
        if (baseOf(wider) !== bits || lastOf(wider) > last) break
        length -= 1
      }
      found.push({ family, bits, length })
      bits = lastOf({ family, bits, length }) + 1n
    }
  }
  return found
}

/** A network of each requested length, out of the first free one that has room; undefined when there is none. */
export const carve = (
  free: ReadonlyArray<Network>,
  lengths: ReadonlyArray<number>
): ReadonlyArray<Network> | undefined => {
  let left = free
  const carved: Array<Network> = []
  for (const length of lengths) {
    const at = left.findIndex((network) => network.length <= length)
    if (at < 0) return undefined
    const from = left[at]!
    const taken = { ...from, length }
    carved.push(taken)
    const rest = networksIn(from.family, [{ first: lastOf(taken) + 1n, last: lastOf(from) }])
    left = [...left.slice(0, at), ...rest, ...left.slice(at + 1)]
  }
  return carved
}

export const printHost = ({ family, length }: Network, bits: bigint): string => printNetwork({ family, bits, length })

export const printBare = ({ family }: Network, bits: bigint): string => printAddress(family, bits)
