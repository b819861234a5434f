/** The time limit of a template on a machine whose cores are busy. */
import { describe, expect, it } from "vitest"
import { Budget, limits } from "../../src/jinja/runtime/Limits.ts"

const sleep = (millis: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

const work = (millis: number): void => {
  const until = process.threadCpuUsage().user + millis * 1000
  while (process.threadCpuUsage().user < until);
}

const tiny = { ...limits, cpuMillis: 20 }

describe("a run", () => {
  it("is not charged for the time in which its thread does not run", () => {
    const budget = new Budget(tiny)
    sleep(3 * tiny.cpuMillis)
    expect(() => budget.lookAtClock()).not.toThrow()
    sleep(3 * tiny.cpuMillis)
    expect(() => budget.lookAtClock()).not.toThrow()
  })

  it("ends when it has used up its CPU time", () => {
    const budget = new Budget(tiny)
    work(2 * tiny.cpuMillis)
    expect(() => budget.lookAtClock()).toThrow("time limit")
  })
})
