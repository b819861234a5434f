/** The ids of a group's VLANs in words, and the form of a new VLAN. Pure. */
import { type Block, blockAround, lastIn } from "../../inventory/derive/values/SpaceMap.ts"
import { vlanType } from "../../inventory/read/Spaces.ts"
import { pathOf } from "../value/Title.ts"
import type { SpaceWords } from "./Grid.ts"

interface VlanSpace {
  readonly group: number
  /** The least and the largest id. */
  readonly first: bigint
  readonly last: bigint
}

/** `16-31`, or a single id. */
const rangeOf = (block: Block): string => (block.size === 0 ? `${block.first}` : `${block.first}-${lastIn(block)}`)

export const vlanWords = ({ group, first, last }: VlanSpace, path: string, mayAdd: boolean): SpaceWords => {
  const whole = blockAround(first, last)
  return {
    name: (block) =>
      block.size === whole.size
        ? `VLAN IDs ${first}–${last}`
        : `VLAN ${block.size === 0 ? "" : "IDs "}${rangeOf(block)}`,
    label: (block, isNarrow) => (isNarrow ? `${block.first}` : rangeOf(block)),
    amount: ({ size }) => `${(2 ** size).toLocaleString("en")} ${size === 0 ? "ID" : "IDs"}`,
    add: (block) => {
      const vid = block.first < first ? first : block.first
      return mayAdd ? `${pathOf(vlanType)}add/?${new URLSearchParams({ vid: `${vid}`, group: `${group}` })}` : undefined
    },
    zoom: (block) => (block.size === whole.size ? `${path}#space` : `${path}?space=${rangeOf(block)}#space`)
  }
}

/** The part of the ids that the query shows; all of them where it names no aligned part. */
export const vlanFrame = ({ first, last }: VlanSpace, asked: string | null): Block => {
  const whole = blockAround(first, last)
  const [, from, to] = /^(\d{1,4})-(\d{1,4})$/.exec(asked ?? "") ?? []
  if (from === undefined || to === undefined || Number(from) >= Number(to)) return whole
  const part = blockAround(BigInt(from), BigInt(to))
  const isWithin = part.first === BigInt(from) && lastIn(part) === BigInt(to) && part.size < whole.size
  return isWithin && part.first >= whole.first && lastIn(part) <= lastIn(whole) ? part : whole
}
