/**
 * The pace of a webhook: attempts begin one after the other, each a fixed time after the one before, whichever process
 * makes them. So in any span of time there are no more than the rate allows, plus one.
 */
import type { Client } from "../Redis.ts"
import { Script } from "../RedisScript.ts"

/** Takes places, on Redis' own clock. ARGV: how many, and microseconds from one to the next. Answers microseconds. */
const script = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local next = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local after = next + ARGV[1] * ARGV[2]
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1000)
return next - now`)

/** Milliseconds that an answer may take: others use the places that follow meanwhile. */
const answerMax = 100

/** Milliseconds until the first of the places. Those that were told of too late to be kept are left unused, once. */
export const reserve = async (client: Client, key: string, count: number, rate: number): Promise<number> => {
  const take = async () => {
    const micros = (await script.run(client, { keys: [key], args: [count, 1_000_000 / rate] })) as number
    return micros / 1000
  }
  const asked = performance.now()
  const wait = await take()
  return performance.now() - asked > answerMax ? take() : wait
}
