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
 * sum between two looks at sockets.
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

/** Runs work that yields between its steps. After an interruption it can go on from the step that it reached. */
export const inSlices = <A>(work: Generator<void, A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const end = performance.now() + sliceMillis
    do {
      const step = work.next()
      if (step.done === true) return Effect.succeed(step.value)
    } while (performance.now() < end)
    return Effect.andThen(turn, inSlices(work))
  })

/** `items.map(one)`, in slices. */
export const mapInSlices = <A, B>(
  items: ReadonlyArray<A>,
  one: (item: A, at: number) => B
): Effect.Effect<ReadonlyArray<B>> => Effect.suspend(() => inSlices(mapping(items, one)))

function* mapping<A, B>(items: ReadonlyArray<A>, one: (item: A, at: number) => B): Generator<void, ReadonlyArray<B>> {
  const mapped: Array<B> = []
  for (const [at, item] of items.entries()) {
    mapped.push(one(item, at))
    yield
  }
  return mapped
}
