/**
 * The state of a webhook's circuit breaker, shared by all processes: until when it is open, and which process probes.
 *
 * It is kept beside the streams, on Redis' clock. When it is lost, each process still knows what it knew, and two of
 * them may probe.
 */
import type { Client } from "../Redis.ts"
import { breakerChannel, keysOf } from "./Keys.ts"
import { RedisScript } from "../RedisScript.ts"

/** How a breaker stands. */
export interface BreakerNews {
  readonly webhook: number
  /** Milliseconds that it stays open; 0 when it is closed. */
  readonly openMillis: number
  /** How often it opened without a success in between. */
  readonly openings: number
}

/** Time for which a breaker that opened is remembered after it was to be probed, milliseconds. */
const keptMillis = 600_000

const openScript = new RedisScript<number>(new URL("scripts/breaker/open.lua", import.meta.url))

export const openBreaker = async (client: Client, news: BreakerNews): Promise<void> => {
  const { breaker, probe } = keysOf(news.webhook)
  const args = [Math.ceil(news.openMillis), news.openings, keptMillis]
  const openMillis = await openScript.run(client, { keys: [breaker, probe], args })
  await publish(client, { ...news, openMillis })
}

export const closeBreaker = async (client: Client, webhook: number): Promise<void> => {
  const { breaker, probe } = keysOf(webhook)
  await client.unlink(breaker, probe)
  await publish(client, { webhook, openMillis: 0, openings: 0 })
}

export const channelOf = (client: Client): string => breakerChannel(client.isCluster ? 0 : (client.options.db ?? 0))

const publish = (client: Client, { webhook, openMillis, openings }: BreakerNews) =>
  client.publish(channelOf(client), `${webhook} ${openMillis} ${openings}`)

export const readNews = (message: string): BreakerNews => {
  const [webhook, openMillis, openings] = message.split(" ").map(Number)
  return { webhook: webhook!, openMillis: openMillis!, openings: openings! }
}

const stateScript = new RedisScript<readonly [openMillis: number, openings: number]>(
  new URL("scripts/breaker/state.lua", import.meta.url)
)

/** How others left it. One whose time is over is to be probed at once: then `openings` tells that it is not closed. */
export const breakerOf = async (client: Client, webhook: number): Promise<BreakerNews> => {
  const [openMillis, openings] = await stateScript.run(client, { keys: [keysOf(webhook).breaker], args: [] })
  return { webhook, openMillis, openings }
}

const beginProbeScript = new RedisScript<number>(new URL("scripts/breaker/begin-probe.lua", import.meta.url))

/** Asks to be the one that probes. Answers 0 when we are, or the milliseconds after which to ask again. */
export const beginProbe = async (
  client: Client,
  consumer: string,
  webhook: number,
  millis: number
): Promise<number> => {
  const { breaker, probe } = keysOf(webhook)
  return beginProbeScript.run(client, { keys: [breaker, probe], args: [consumer, Math.ceil(millis)] })
}

const probeNowScript = new RedisScript<null>(new URL("scripts/breaker/probe-now.lua", import.meta.url))

/** What is known of the receiver may be true no more. */
export const probeNow = async (client: Client, webhook: number): Promise<void> => {
  await probeNowScript.run(client, { keys: [keysOf(webhook).breaker], args: [] })
}

const endProbeScript = new RedisScript<null>(new URL("scripts/breaker/end-probe.lua", import.meta.url))

/** There was nothing to probe with. */
export const endProbe = async (client: Client, consumer: string, webhook: number): Promise<void> => {
  await endProbeScript.run(client, { keys: [keysOf(webhook).probe], args: [consumer] })
}
