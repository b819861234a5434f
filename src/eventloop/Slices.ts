/**
 * Long work on the event loop, cut into slices: between two slices timers, sockets and the reader of the WAL run.
 *
 * A single step must be short by itself (a pattern over one value, one object's rules); slices bound the sum of many.
 */
import { Effect } from "effect"

/** Length of a slice, milliseconds. */
const sliceMillis = 10

/** Works that wait for their next slice, the longest waiting one first. */
const waiting = new Set<() => void>()
let isScheduled = false

/**
 * Runs one slice in each turn of the event loop: with one of every work, many works at once would take as long as their
 * sum between two polls of sockets.
 */
const runNext = (): void => {
  const [next] = waiting
  isScheduled = waiting.size > 1
  if (isScheduled) setImmediate(runNext)
  if (next === undefined) return
  waiting.delete(next)
  next()
}

const turn: Effect.Effect<void> = Effect.callback((resume) => {
  const next = () => resume(Effect.void)
  waiting.add(next)
  if (!isScheduled) setImmediate(runNext)
  isScheduled = true
  return Effect.sync(() => waiting.delete(next))
})

/** Runs work that yields between its steps. After an interruption it can continue from the step that it reached. */
export const inSlices = <A>(work: Generator<void, A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const end = performance.now() + sliceMillis
    do {
      const step = work.next()
      if (step.done === true) return Effect.succeed(step.value)
    } while (performance.now() < end)
    return Effect.andThen(turn, inSlices(work))
  })

/** `items.map(one)`, in slices. Not a generator, whose steps cost more than most items. */
export const mapInSlices = <A, B>(
  items: ReadonlyArray<A>,
  one: (item: A, at: number) => B
): Effect.Effect<ReadonlyArray<B>> => Effect.suspend(() => mapFrom(items, one, []))

const mapFrom = <A, B>(
  items: ReadonlyArray<A>,
  one: (item: A, at: number) => B,
  mapped: Array<B>
): Effect.Effect<ReadonlyArray<B>> => {
  const end = performance.now() + sliceMillis
  while (mapped.length < items.length) {
    mapped.push(one(items[mapped.length]!, mapped.length))
    if (mapped.length < items.length && performance.now() >= end) {
      return Effect.andThen(
        turn,
        Effect.suspend(() => mapFrom(items, one, mapped))
      )
    }
  }
  return Effect.succeed(mapped)
}
