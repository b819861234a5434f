/**
 * The pace of a webhook: attempts begin one after the other, each a fixed time after the one before, whichever process
 * makes them. So in any span of time there are no more than the rate allows, plus one.
 */
import type { Client } from "../Redis.ts"
import { RedisScript } from "../RedisScript.ts"

const reserveScript = new RedisScript<number>(new URL("scripts/reserve.lua", import.meta.url))

/** Longest time that Redis may take to answer, milliseconds: meanwhile other processes use the slots that follow. */
const answerMax = 100

/** Milliseconds until the first of the places. Those that were told of too late to be kept are left unused, once. */
export const reserve = async (client: Client, key: string, count: number, rate: number): Promise<number> => {
  const ask = async () => {
    const micros = await reserveScript.run(client, { keys: [key], args: [count, 1_000_000 / rate] })
    return micros / 1000
  }
  const asked = performance.now()
  const wait = await ask()
  return performance.now() - asked > answerMax ? ask() : wait
}
