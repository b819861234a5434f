/**
 * The rate limit of a webhook: time slots on Redis' clock, one every `1 / rate` seconds, shared by all processes. An
 * attempt begins in its slot. In any span of time there are at most as many attempts as the rate allows, plus one.
 */
import type { Client } from "../redis/Redis.ts"
import { RedisScript } from "../redis/RedisScript.ts"

const reserveScript = new RedisScript<number>(new URL("scripts/reserve.lua", import.meta.url))

/** Longest time that Redis may take to answer, milliseconds: meanwhile other processes use the slots that follow. */
const answerMillisMax = 100

/**
 * Reserves `count` slots and returns in how many milliseconds the first one is. If Redis answers late, the expired
 * slots are dropped and new ones are reserved, once.
 */
export const reserve = async (client: Client, key: string, count: number, rate: number): Promise<number> => {
  const ask = async () => {
    const micros = await reserveScript.run(client, { keys: [key], args: [count, 1_000_000 / rate] })
    return micros / 1000
  }
  const asked = performance.now()
  const wait = await ask()
  return performance.now() - asked > answerMillisMax ? ask() : wait
}
