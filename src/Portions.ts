/**
 * Long loops in portions: between two of them the event loop turns, so that others do not wait for the whole loop.
 */
import { Effect } from "effect"

/** Length of a portion, milliseconds. */
const portionMillis = 10

/** The results of a function for each item, in order. */
export const inPortions = Effect.fnUntraced(function* <A, B>(items: ReadonlyArray<A>, act: (item: A, at: number) => B) {
  const results: Array<B> = []
  let since = performance.now()
  for (let at = 0; at < items.length; at++) {
    results.push(act(items[at]!, at))
    if (performance.now() - since < portionMillis) continue
    yield* Effect.yieldNow
    since = performance.now()
  }
  return results
})
