/** Compares what a receiver saw with the timing that a webhook promises: the order within an object, and a rate. */
import type { Disturbance } from "./AttemptOracle.ts"
import type { Differences } from "./Differences.ts"
import type { Request, Stall } from "./HostileReceiver.ts"
import { lostKey } from "./StoreFaults.ts"
import { isBelow } from "./StreamOracle.ts"

const entryOf = ({ delivery }: Request): string => delivery.slice(delivery.indexOf("-") + 1)

/**
 * No request about an object comes for the first time after a later one. Repetitions because of a disturbance may: they
 * were on their way when their process stopped. A batch may follow what it repeats, up to what was accepted: answered with
 * success, and read by the service in time.
 */
export const compareOrder = (
  requests: ReadonlyArray<Request>,
  {
    disturbances,
    isAccepted
  }: {
    readonly disturbances: ReadonlyArray<Disturbance>
    readonly isAccepted: (request: Request) => boolean
  },
  differences: Differences
): void => {
  // Without the names of what is under way, deliveries may overtake each other until they are found again.
  const overtaken = (one: Request, other: Request) =>
    disturbances.some(({ fault, from, to }) => fault === lostKey && from <= one.at && to >= other.at)
  for (const [object, each] of Map.groupBy(requests, (request) => request.object)) {
    const seen = new Set<string>()
    let [latest, accepted, batch] = [each[0]!, each[0]!, each[0]!.batch]
    for (const request of each) {
      if (request.batch !== batch && request.batch !== undefined) latest = accepted
      batch = request.batch
      const excused = disturbances.some(({ from, to }) => from <= request.at && to >= latest.at)
      if (!isBelow(entryOf(request), entryOf(latest))) latest = request
      else if (overtaken(request, latest)) latest = request
      else if (!excused || !seen.has(request.delivery)) {
        differences.add(`${request.webhook}, ${object}: ${entryOf(request)} came after ${entryOf(latest)}`)
      }
      if (isAccepted(request) && !isBelow(entryOf(request), entryOf(accepted))) accepted = request
      seen.add(request.delivery)
    }
  }
}

/** Span in which the rate is measured, milliseconds. */
const spanMillis = 10_000

/** Factor by which arrivals may exceed the limit. */
const tolerance = 1.05

export const compareRate = (
  { requests, stalls }: { readonly requests: ReadonlyArray<Request>; readonly stalls: ReadonlyArray<Stall> },
  rate: number,
  lost: ReadonlyArray<Disturbance>,
  differences: Differences
): void => {
  for (const [at, first] of requests.entries()) {
    const end = first.at + spanMillis
    // Redis keeps the places: when it has lost them, those that were given away are given away again.
    if (lost.some(({ from, to }) => from <= end && to >= first.at)) continue
    const stalled = stalls.reduce(
      (sum, { to, lasted }) => (to >= first.at && to - lasted < end ? sum + lasted : sum),
      0
    )
    const most = (rate * tolerance * (spanMillis + stalled)) / 1000 + 1
    let count = 0
    while (requests[at + count] !== undefined && requests[at + count]!.at < end) count += 1
    const what = `${count} requests within ${spanMillis} ms, ${Math.round(stalled)} ms of it stalled`
    if (count > most) return differences.add(`${what}, at a rate of ${rate}`)
  }
}
