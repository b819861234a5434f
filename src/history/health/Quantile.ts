/** Quantiles of times that were counted in buckets. Pure. */
import { bucketEndsMillis } from "../../log/Traffic.ts"

/**
 * The time, in milliseconds, that this share of the counted times does not exceed; undefined if nothing was counted. It
 * lies in the same bucket as the true one. The last bucket has no end: what lies there is at least its beginning.
 */
export const quantileMillis = (counts: ReadonlyArray<number>, share: number): number | undefined => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  const wanted = share * total
  let before = 0
  for (const [at, count] of counts.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = bucketEndsMillis[at - 1] ?? 0
      const to = bucketEndsMillis[at] ?? from
      return from + ((to - from) * (wanted - before)) / count
    }
    before += count
  }
  return bucketEndsMillis.at(-1)
}
