/**
 * Chains of deliveries: a webhook that writes to this service makes changes, for which webhooks fire again.
 *
 * Each request of a webhook has a header with the webhooks that led to it. A change by such a request keeps them, and so
 * do its deliveries, their retries and replays. A webhook that would lengthen a long chain of which it is a part already
 * is in a loop: its delivery fails.
 *
 * The header is sealed: a sender can neither invent a chain nor shorten one, but can leave it out. The log does not keep
 * it, so only receivers can repeat one.
 */
import type { Delivery } from "../event/Delivery.ts"
import { chainMax } from "../inventory/write/Transaction.ts"
import type { Vault } from "../inventory/Vault.ts"
import type { Failure } from "../event/Outcome.ts"

export const chainHeader = "x-hook-chain"

/** Ids of webhooks, the latest one last. */
type Chain = ReadonlyArray<number>

/**
 * Deliveries of a chain after which none is sent to a webhook of it: a pair of webhooks may double the chain with each.
 */
const loopMin = 4

/** Longest header that is opened, characters: a chain of `chainMax` ids, sealed. */
const headerCharsMax = 512

const form = new RegExp(`^chain:(\\d{1,16}(?:,\\d{1,16}){0,${chainMax - 1}})$`)

/** The header of a webhook's requests, by the chain that led to them. */
export type ChainHeader = (before: Chain | undefined) => string

/** Makes headers for the requests of a webhook; most requests have the same one. */
export const chainHeaderOf = (webhook: number, { seal }: Pick<Vault["Service"], "seal">): ChainHeader => {
  const textOf = (before: Chain) => seal(`chain:${[...before, webhook].slice(-chainMax).join(",")}`)
  let first: string | undefined
  return (before) => (before === undefined ? (first ??= textOf([])) : textOf(before))
}

/** The chain that a header names; undefined where it names none, or was not made by this service. */
export const readChain = (header: string | undefined, { open }: Pick<Vault["Service"], "open">): Chain | undefined => {
  if (header === undefined || header.length > headerCharsMax) return undefined
  const [, ids] = form.exec(open(header) ?? "") ?? []
  return ids?.split(",").map(Number)
}

/** Why a delivery is not sent, if it would continue a loop. */
export const loopFailure = ({ chain, webhook }: Pick<Delivery, "chain" | "webhook">): Failure | undefined => {
  if (chain === undefined || chain.length < loopMin || !chain.includes(webhook)) return undefined
  // A reader of the delivery may have no right to view the other webhooks.
  const message = `A loop: ${chain.length} deliveries in a row led to the change, and this webhook made some of them.`
  return { reason: "Loop", message }
}
