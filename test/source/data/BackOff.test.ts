/** The circuit breaker of an API, by a clock of the test. */
import { expect, it } from "vitest"
import { usualPace } from "../../../src/eventloop/Pace.ts"
import { BackOff } from "../../../src/source/data/BackOff.ts"

const { backOffMinMillis, backOffMaxMillis } = usualPace.objectApi

const opened = (failures = 3) => {
  const backOff = new BackOff(usualPace.objectApi)
  for (let at = 0; at < failures; at++) backOff.failed(0)
  return backOff
}

it("opens after the third failure in a row, and not where a success is between", () => {
  const backOff = opened(2)
  expect(backOff.admits(0)).toBe(true)
  backOff.succeeded()
  backOff.failed(0)
  backOff.failed(0)
  expect(backOff.admits(0)).toBe(true)
  backOff.failed(0)
  expect(backOff.admits(0)).toBe(false)
})

it("admits one probe after the back-off, whose success closes it", () => {
  const backOff = opened()
  expect([backOff.isHalfOpen(backOffMinMillis - 1), backOff.admits(backOffMinMillis - 1)]).toEqual([false, false])
  expect([backOff.isHalfOpen(backOffMinMillis), backOff.admits(backOffMinMillis)]).toEqual([true, true])
  expect([backOff.isHalfOpen(backOffMinMillis), backOff.admits(backOffMinMillis)]).toEqual([false, false])
  backOff.succeeded()
  expect([backOff.isHalfOpen(backOffMinMillis), backOff.admits(backOffMinMillis)]).toEqual([false, true])
})

it("doubles the back-off with each failure, up to the longest one", () => {
  for (const [failures, lengthMillis] of [
    [4, 2 * backOffMinMillis],
    [6, 8 * backOffMinMillis],
    [1000, backOffMaxMillis]
  ] as const) {
    expect(opened(failures).admits(lengthMillis - 1)).toBe(false)
    expect(opened(failures).admits(lengthMillis)).toBe(true)
  }
})

it("admits another probe where the last one had no result, or never ended", () => {
  const backOff = opened()
  backOff.admits(backOffMinMillis)
  backOff.released(backOffMinMillis)
  expect(backOff.admits(backOffMinMillis)).toBe(true)
  expect(backOff.admits(backOffMinMillis + backOffMaxMillis - 1)).toBe(false)
  expect(backOff.admits(backOffMinMillis + backOffMaxMillis)).toBe(true)
})
