/** Which request a template worker gets next, when many owners wait. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  FairQueue,
  type Waiting,
  firstPauseMillis,
  forgivenAfter,
  longestPauseMillis
} from "../../src/template/pool/FairQueue.ts"

interface Asked extends Waiting {
  readonly name: string
}

const ask = (owner: string, name = owner, chars = 1): Asked => ({ owner, name, chars, cancelled: false })

const addAll = (queue: FairQueue<Asked>, owner: string, count: number): void => {
  for (let n = 0; n < count; n++) queue.add(ask(owner, `${owner} ${n}`))
}

const names = (batch: ReadonlyArray<Asked>) => batch.map(({ name }) => name)

const take = (queue: FairQueue<Asked>, max = 100, chars = 1000) => queue.take(max, chars, true)

/** A queue that knows these owners: each had one request that took no time. */
const knowing = (...owners: ReadonlyArray<string>): FairQueue<Asked> => {
  const queue = new FairQueue<Asked>()
  for (const owner of owners) {
    queue.add(ask(owner))
    queue.ended(take(queue)[0]!, 0)
  }
  return queue
}

describe("owners that are known", () => {
  it("are served in turn, for any number of requests", () => {
    const queue = knowing("a", "b")
    addAll(queue, "a", 100)
    addAll(queue, "b", 2)
    expect(names(take(queue, 5))).toEqual(["a 0", "b 0", "a 1", "b 1", "a 2"])
    expect(queue.size).toBe(97)
  })

  it("get no turn while they are blocked, and then begin with the same request", () => {
    const queue = knowing("a", "b")
    addAll(queue, "a", 2)
    addAll(queue, "b", 1)
    const batch = take(queue, 2)
    queue.block(batch[0]!)
    queue.giveBack([batch[0]!], false)
    expect([names(take(queue)), queue.nextPenalised(true)]).toEqual([[], undefined])
    expect([queue.unblock(batch[1]!), queue.unblock(batch[0]!), queue.unblock(batch[0]!)]).toEqual([false, true, false])
    expect(names(take(queue))).toEqual(["a 0", "a 1"])
  })

  it("go first if they used less time", () => {
    const queue = knowing("slow", "quick")
    addAll(queue, "slow", 3)
    queue.ended(take(queue, 1)[0]!, 250)
    addAll(queue, "quick", 2)
    expect(names(take(queue, 1))).toEqual(["quick 0"])
  })

  it("earn no credit while they are idle", () => {
    const queue = knowing("busy", "idle")
    addAll(queue, "busy", 10)
    for (let n = 0; n < 5; n++) queue.ended(take(queue, 1)[0]!, 100)
    addAll(queue, "idle", 10)
    const order: Array<string> = []
    for (let n = 0; n < 6; n++) {
      const [next] = take(queue, 1)
      order.push(next!.owner)
      queue.ended(next!, 100)
    }
    expect(order.filter((owner) => owner === "idle").length).toBeLessThanOrEqual(4)
    expect(order[0]).toBe("idle")
  })

  it("share a message of bounded size; a larger request goes alone", () => {
    const queue = knowing("a", "b")
    queue.add(ask("a", "large", 5000))
    queue.add(ask("b", "small", 10))
    expect(names(take(queue))).toEqual(["large"])
    expect(names(take(queue))).toEqual(["small"])
  })

  it("are not charged for cancelled requests", () => {
    const queue = knowing("a")
    const gone = ask("a", "gone")
    queue.add(gone)
    queue.add(ask("a", "wanted"))
    gone.cancelled = true
    expect(names(take(queue))).toEqual(["wanted"])
    expect(queue.size).toBe(0)
  })
})

describe("an unknown owner", () => {
  it("runs its first request alone, and no other unknown owner runs at the same time", () => {
    const queue = knowing("known")
    addAll(queue, "new", 2)
    addAll(queue, "other", 2)
    addAll(queue, "known", 1)
    const [first, ...rest] = take(queue)
    expect([first!.name, rest]).toEqual(["new 0", []])
    expect(names(take(queue))).toEqual(["known 0"])
    expect(take(queue)).toEqual([])
    queue.ended(first!, 1)
    expect(names(take(queue))).toEqual(["other 0"])
  })
})

describe("an owner whose request ran out of time", () => {
  const penalised = (overruns: number): FairQueue<Asked> => {
    const queue = knowing("a", "spins")
    addAll(queue, "spins", 100)
    queue.overran(take(queue, 1)[0]!, 250, 0)
    for (let n = 1; n < overruns; n++) queue.overran(queue.takePenalised(Number.POSITIVE_INFINITY)!, 250, 0)
    return queue
  }

  it("gets no worker that others use", () => {
    const queue = penalised(1)
    addAll(queue, "a", 1)
    expect(names(take(queue))).toEqual(["a 0"])
    expect(take(queue)).toEqual([])
  })

  it.each([
    [1, firstPauseMillis],
    [2, 2 * firstPauseMillis],
    [4, 8 * firstPauseMillis],
    [40, longestPauseMillis]
  ])("waits longer each time: after %i, %i ms", (overruns, pause) => {
    const queue = penalised(overruns)
    expect(queue.nextPenalised(false)).toBe(pause)
    expect(queue.takePenalised(pause - 1)).toBeUndefined()
    expect(queue.takePenalised(pause)).toBeDefined()
  })

  it("returns to the others after enough of its requests succeeded", () => {
    const queue = penalised(1)
    for (let n = 0; n < forgivenAfter; n++) queue.ended(queue.takePenalised(Number.POSITIVE_INFINITY)!, 1)
    expect(take(queue).length).toBeGreaterThan(1)
  })
})

describe("requests that were lost with their worker", () => {
  it("go first among those of their owner, and never together with another owner's", () => {
    const queue = knowing("a", "b")
    addAll(queue, "a", 2)
    addAll(queue, "b", 2)
    const batch = take(queue, 3)
    expect(names(batch)).toEqual(["a 0", "b 0", "a 1"])
    queue.overran(batch[1]!, 500, 0)
    queue.giveBack([batch[0]!, batch[2]!], true)
    addAll(queue, "c", 1)
    expect(names(take(queue))).toEqual(["a 0", "a 1"])
  })
})

it("returns each request exactly once", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 300 }))), (asked) => {
      const queue = new FairQueue<Asked>()
      const millis = new Map<string, number>()
      asked.forEach(([owner, took], at) => {
        millis.set(`${at}`, took)
        queue.add(ask(`${owner}`, `${at}`))
      })
      const seen: Array<string> = []
      while (queue.size > 0) {
        const penalised = queue.takePenalised(Number.POSITIVE_INFINITY)
        const batch = penalised === undefined ? take(queue, 3) : [penalised]
        expect(batch.length).toBeGreaterThan(0)
        // Work that a worker does not reach is given back.
        queue.giveBack(batch.slice(1), false)
        seen.push(batch[0]!.name)
        const took = millis.get(batch[0]!.name)!
        if (took > 250) queue.overran(batch[0]!, took, 0)
        else queue.ended(batch[0]!, took)
      }
      expect(seen.toSorted()).toEqual([...millis.keys()].toSorted())
    })
  )
})
