/**
 * The rate limit of a webhook: time slots on Redis' clock, one every `1 / rate` seconds, shared by all processes. An
 * attempt begins in its slot. In any span of time there are at most as many attempts as the rate allows, plus one.
 */
import type { Client } from "../redis/Redis.ts"
import { RedisScript } from "../redis/RedisScript.ts"

const reserveScript = new RedisScript<number>(new URL("scripts/reserve.lua", import.meta.url))

/**
 * How late an attempt may begin in its slot, milliseconds: a tenth of the slot, which leaves the rate as it is, and at
 * least as long as a busy process or Redis may take for a step.
 */
export const lateMillisMax = (rate: number): number => Math.max(100, 1000 / rate / 10)

/**
 * Reserves `count` slots and returns in how many milliseconds the first one is. If Redis answers late,
 * other processes use the slots that follow by then: the expired ones are dropped and new ones are reserved, once.
 */
export const reserve = async (client: Client, key: string, count: number, rate: number): Promise<number> => {
  const ask = async () => {
    const micros = await reserveScript.run(client, { keys: [key], args: [count, 1_000_000 / rate] })
    return micros / 1000
  }
  const asked = performance.now()
  const wait = await ask()
  return performance.now() - asked > lateMillisMax(rate) ? ask() : wait
}
