/** Changes at a steady rate, and how long they took to arrive. */
import { type Figure, type Sample, quantile } from "./Suite.ts"

/** Acts this many times at the rate per second. Each action starts on time, whether or not earlier ones have ended. */
export const atRate = async (count: number, rate: number, act: (n: number) => Promise<unknown>): Promise<void> => {
  const began = performance.now()
  const running: Array<Promise<unknown>> = []
  for (let n = 0; n < count; n++) {
    const wait = began + (n * 1000) / rate - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    running.push(act(n))
  }
  await Promise.all(running)
}

export const latencyFigures: ReadonlyArray<Figure> = ["median", "99th percentile", "longest"].map((name) => ({
  name,
  unit: "ms",
  more: false
}))

export const latencySample = (latencies: ReadonlyArray<number>): Sample => ({
  median: quantile(latencies, 0.5),
  "99th percentile": quantile(latencies, 0.99),
  longest: Math.max(...latencies)
})
