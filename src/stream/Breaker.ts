/**
 * What processes tell each other of a webhook's circuit breaker: until when it is open, and who probes.
 *
 * It is kept beside the streams, on Redis' clock. When it is lost, each process still knows what it knew, and two of
 * them may probe.
 */
import type { Client } from "../Redis.ts"
import { breakerChannel, keysOf } from "./Keys.ts"
import { Script } from "../RedisScript.ts"

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

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** KEYS: breaker, probe. ARGV: milliseconds, openings, time to be remembered. Answers for how long it is open. */
const openScript = new Script(`${now}
local known = redis.call('HMGET', KEYS[1], 'until', 'openings')
local till = math.max(tonumber(known[1] or '0'), now + ARGV[1])
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', till), 'openings', math.max(tonumber(known[2] or '0'), ARGV[2]))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', till - now + ARGV[3]))
redis.call('UNLINK', KEYS[2])
return till - now`)

export const openBreaker = async (client: Client, news: BreakerNews): Promise<void> => {
  const { breaker, probe } = keysOf(news.webhook)
  const args = [Math.ceil(news.openMillis), news.openings, keptMillis]
  const openMillis = (await openScript.run(client, { keys: [breaker, probe], args })) as number
  await tell(client, { ...news, openMillis })
}

export const closeBreaker = async (client: Client, webhook: number): Promise<void> => {
  const { breaker, probe } = keysOf(webhook)
  await client.unlink(breaker, probe)
  await tell(client, { webhook, openMillis: 0, openings: 0 })
}

export const channelOf = (client: Client): string => breakerChannel(client.isCluster ? 0 : (client.options.db ?? 0))

const tell = (client: Client, { webhook, openMillis, openings }: BreakerNews) =>
  client.publish(channelOf(client), `${webhook} ${openMillis} ${openings}`)

export const readNews = (message: string): BreakerNews => {
  const [webhook, openMillis, openings] = message.split(" ").map(Number)
  return { webhook: webhook!, openMillis: openMillis!, openings: openings! }
}

const stateScript = new Script(`${now}
local known = redis.call('HMGET', KEYS[1], 'until', 'openings')
return { math.max(tonumber(known[1] or '0') - now, 0), tonumber(known[2] or '0') }`)

/** How others left it. One whose time is over is to be probed at once: then `openings` tells that it is not closed. */
export const breakerOf = async (client: Client, webhook: number): Promise<BreakerNews> => {
  const reply = await stateScript.run(client, { keys: [keysOf(webhook).breaker], args: [] })
  const [openMillis, openings] = reply as [number, number]
  return { webhook, openMillis, openings }
}

/** KEYS: breaker, probe. ARGV: the consumer, milliseconds that its probe may take. Answers 0, or when to ask again. */
const probeScript = new Script(`${now}
local till = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if till > now then return till - now end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
if redis.call('GET', KEYS[2]) == ARGV[1] then return 0 end
return math.max(redis.call('PTTL', KEYS[2]), 1)`)

/** Asks to be the one that probes. Answers 0 when we are, or the milliseconds after which to ask again. */
export const beginProbe = async (
  client: Client,
  consumer: string,
  webhook: number,
  millis: number
): Promise<number> => {
  const { breaker, probe } = keysOf(webhook)
  return (await probeScript.run(client, { keys: [breaker, probe], args: [consumer, Math.ceil(millis)] })) as number
}

const probeNowScript = new Script(
  `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'until', 0) end`
)

/** What is known of the receiver may be true no more. */
export const probeNow = async (client: Client, webhook: number): Promise<void> => {
  await probeNowScript.run(client, { keys: [keysOf(webhook).breaker], args: [] })
}

const endScript = new Script(`if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('UNLINK', KEYS[1]) end`)

/** There was nothing to probe with. */
export const endProbe = async (client: Client, consumer: string, webhook: number): Promise<void> => {
  await endScript.run(client, { keys: [keysOf(webhook).probe], args: [consumer] })
}
