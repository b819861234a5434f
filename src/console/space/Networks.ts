/** The blocks of a network in words, and the forms of what can be added in them. Pure. */
import { type Block, blockOfNetwork, networkOfBlock } from "../../inventory/derive/values/SpaceMap.ts"
import {
  type Network,
  baseOf,
  parseNetwork,
  printAddress,
  printNetwork,
  widthOf
} from "../../inventory/field/Network.ts"
import { addressType, prefixType } from "../../inventory/read/Spaces.ts"
import { pathOf } from "../value/Title.ts"
import type { SpaceWords } from "./Grid.ts"

interface Place {
  readonly network: Network
  /** The path of the page. */
  readonly path: string
  /** Further fields of a form, of prefixes and of addresses. */
  readonly filled: Readonly<Record<string, string>>
  readonly mayAdd: { readonly prefix: boolean; readonly address: boolean }
}

export const networkWords = ({ network, path, filled, mayAdd }: Place): SpaceWords => {
  const { family } = network
  const name = (block: Block): string => printNetwork(networkOfBlock(family, block))
  const form = (type: typeof prefixType, fields: Readonly<Record<string, string>>): string =>
    `${pathOf(type)}add/?${new URLSearchParams({ ...fields, ...filled })}`
  return {
    name,
    label: (block, isNarrow) => (isNarrow ? labelOf(networkOfBlock(family, block)) : name(block)),
    amount: ({ size }) => amountOf(size),
    add: (block) => {
      if (block.size > 0) return mayAdd.prefix ? form(prefixType, { prefix: name(block) }) : undefined
      const address = `${printAddress(family, block.first)}/${network.length}`
      return mayAdd.address ? form(addressType, { address }) : undefined
    },
    zoom: (block) =>
      block.size === blockOfNetwork(network).size ? `${path}#space` : `${path}?space=${name(block)}#space`
  }
}

/** The number that distinguishes a block from its neighbours: the octet or group in which its length ends. */
const labelOf = ({ family, bits, length }: Network): string => {
  const width = family === 4 ? 8 : 16
  const group = Math.max(0, Math.ceil(length / width) - 1)
  const shift = BigInt(widthOf(family) - (group + 1) * width)
  const value = (bits >> shift) & ((1n << BigInt(width)) - 1n)
  return value.toString(family === 4 ? 10 : 16)
}

/** Larger amounts are powers of two. */
const exactSize = 32

const amountOf = (size: number): string =>
  size > exactSize
    ? `2^${size} addresses`
    : `${(2 ** size).toLocaleString("en")} ${size === 0 ? "address" : "addresses"}`

/** The part of a network that the query shows; the whole network where it names none within. */
export const frameIn = (network: Network, asked: string | null): Block => {
  const part = parseNetwork(asked ?? "")
  const isWithin =
    part?.family === network.family &&
    part.length > network.length &&
    part.bits === baseOf(part) &&
    baseOf({ ...part, length: network.length }) === baseOf(network)
  return blockOfNetwork(isWithin ? part : network)
}
