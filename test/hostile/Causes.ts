/**
 * Why nobody waits for an attack, in counts that do not depend on the speed of the machine: slices of work on the event
 * loop, workers that take work off it, and reads that are answered before the attack. The service runs in this process.
 */
import { expect } from "vitest"
import type { Api } from "../support/Api.ts"
import { callsOf, replaceTimeOf } from "../support/TimeOf.ts"

export interface Causes<A> {
  readonly answer: A
  /** How often work on the event loop let other work run, where each step of that work takes a millisecond. */
  readonly slices: number
  /** Threads that were started. */
  readonly workers: number
  /** Reads, of the health and of an object, that were sent one after the other and answered before the attack. */
  readonly overtaking: number
  /** Reads among the overtaking ones that were sent after the first thread had started. */
  readonly besideThread: number
}

/** Steps of a slice at a millisecond each. */
export const sliceSteps = 10

/** Runs the attack and counts; rejects as the attack does, or if a read is not answered with 200. */
export const causesOf = async <A>(api: Api, attack: () => Promise<A>): Promise<Causes<A>> => {
  const token = await api.newToken()
  let [slices, workers, overtaking, besideThread] = [0, 0, 0, 0]
  const started = () => (workers += 1)
  process.on("worker", started)
  const restore = countSlices(() => (slices += 1))
  try {
    const ended = new AbortController()
    const attacking = attack().finally(() => ended.abort())
    const reading = async () => {
      for (let n = 0; !ended.signal.aborted; n++) {
        const path = n % 2 === 0 ? "/health/live" : "/api/dcim/regions/?limit=1"
        const isBeside = workers > 0
        const { status } = await api.raw("GET", path, undefined, token)
        expect([path, status]).toEqual([path, 200])
        if (ended.signal.aborted) break
        overtaking += 1
        if (isBeside) besideThread += 1
      }
    }
    const [answer] = await Promise.all([attacking, reading()])
    return { answer, slices, workers, overtaking, besideThread }
  } finally {
    restore()
    process.off("worker", started)
  }
}

const slices = "/src/eventloop/Slices.ts"

/**
 * Counts the turns that src/eventloop/Slices.ts takes. While it counts, each look of eventloop/Slices.ts at the time is a millisecond after
 * the one before, so a slice has the same steps on every machine.
 */
const countSlices = (count: () => void): (() => void) => {
  const original = globalThis.setImmediate
  let millis = 0
  const isSlice = callsOf(slices)
  globalThis.setImmediate = new Proxy(original, {
    apply: (target, self, given: Parameters<typeof setImmediate>) => {
      if (isSlice()) count()
      return Reflect.apply(target, self, given)
    }
  })
  const end = replaceTimeOf(slices, () => (millis += 1))
  return () => {
    globalThis.setImmediate = original
    end()
  }
}
