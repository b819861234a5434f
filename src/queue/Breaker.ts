/**
 * The state of a webhook's circuit breaker, shared by all processes: until when it is open, and which process probes.
 *
 * It is kept beside the streams, on Redis' clock. If Redis loses it, each process continues with its own copy, and two
 * processes may probe at once.
 */
import type { Client } from "../redis/Redis.ts"
import { channelsOf, keysOf } from "./Keys.ts"
import { RedisScript } from "../redis/RedisScript.ts"

/** The state of a breaker, as it is published. */
export interface BreakerNews {
  readonly webhook: number
  /** Milliseconds that it stays open; 0 if it is closed. */
  readonly openMillis: number
  /** How often it opened without a success in between. */
  readonly openings: number
}

/** For how long a breaker is remembered after it may be probed, milliseconds. */
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

const publish = (client: Client, { webhook, openMillis, openings }: BreakerNews) =>
  client.publish(channelsOf(client).breaker, `${webhook} ${openMillis} ${openings}`)

export const readNews = (message: string): BreakerNews => {
  const [webhook = 0, openMillis = 0, openings = 0] = message.split(" ").map(Number)
  return { webhook, openMillis, openings }
}

const stateScript = new RedisScript<readonly [openMillis: number, openings: number]>(
  new URL("scripts/breaker/state.lua", import.meta.url)
)

/** The state in Redis. A breaker with `openMillis` 0 and `openings` above 0 is not closed: it may be probed at once. */
export const breakerOf = async (client: Client, webhook: number): Promise<BreakerNews> => {
  const [openMillis, openings] = await stateScript.run(client, { keys: [keysOf(webhook).breaker], args: [] })
  return { webhook, openMillis, openings }
}

const beginProbeScript = new RedisScript<number>(new URL("scripts/breaker/begin-probe.lua", import.meta.url))

/** Returns 0 if this consumer may probe, else the milliseconds after which to try again. */
export const beginProbe = async (
  client: Client,
  consumer: string,
  webhook: number,
  millis: number
): Promise<number> => {
  const { breaker, probe } = keysOf(webhook)
  return beginProbeScript.run(client, { keys: [breaker, probe], args: [consumer, Math.ceil(millis)] })
}

const probeNowScript = new RedisScript<number | null>(new URL("scripts/breaker/probe-now.lua", import.meta.url))

/** Lets an open breaker be probed at once, and publishes it to all processes: the receiver may have changed. */
export const probeNow = async (client: Client, webhook: number): Promise<void> => {
  const openings = await probeNowScript.run(client, { keys: [keysOf(webhook).breaker], args: [] })
  // Without an opening the news would be that it is closed.
  if (openings !== null) await publish(client, { webhook, openMillis: 0, openings: Math.max(Number(openings), 1) })
}

const endProbeScript = new RedisScript<null>(new URL("scripts/breaker/end-probe.lua", import.meta.url))

/** Lets another consumer probe: this one has no entry to probe with. */
export const endProbe = async (client: Client, consumer: string, webhook: number): Promise<void> => {
  await endProbeScript.run(client, { keys: [keysOf(webhook).probe], args: [consumer] })
}
