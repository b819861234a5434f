import { expect, it } from "vitest"
import { Differences } from "./Differences.ts"
import type { Request } from "./HostileReceiver.ts"
import { compareOrder } from "./PaceOracle.ts"

const request = (delivery: string, attempt: number, batch: number, at: number): Request => ({
  ...{ webhook: "together", object: "region 1", delivery, attempt, batch, at, status: 200 }
})

/** A batch with two events of an object, answered with success, and another attempt of the first one. */
const repeated = [request("6-10-1", 1, 1, 10), request("6-11-1", 1, 1, 10), request("6-10-1", 2, 2, 50)]

const differencesOf = (requests: ReadonlyArray<Request>, isAccepted: (request: Request) => boolean) => {
  const differences = new Differences()
  compareOrder(requests, { disturbances: [], isAccepted }, differences)
  return differences.text()
}

it("an event that is sent again after a later one that the receiver accepted is out of order", () => {
  expect(differencesOf(repeated, () => true)).toContain("region 1: 10-1")
})

it("a batch whose answer arrived when the service had given it up may be repeated from its first event on", () => {
  expect(differencesOf([...repeated, request("6-11-1", 2, 3, 60)], ({ attempt }) => attempt === 2)).toBe("")
})

it("an event whose first request follows a later one is out of order, whatever became of that one", () => {
  expect(differencesOf([repeated[1]!, request("6-10-1", 1, 1, 11)], () => false)).toContain("region 1: 10-1")
})
