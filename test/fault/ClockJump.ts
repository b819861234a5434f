/**
 * Loaded into a service before anything else: at SIGUSR2 its clock jumps one hour ahead, then one hour back, then to
 * the right time. The monotonic clock (`performance.now`, timers) continues, as it would if a real clock were set.
 */
import { isMainThread } from "node:worker_threads"

const hour = 3_600_000
const offsets = [hour, -hour, 0]
let offset = 0
let jumps = 0

const Real = Date
globalThis.Date = new Proxy(Real, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [Real.now() + offset] : args, made) as object,
  get: (target, name, receiver) =>
    name === "now" ? () => Real.now() + offset : (Reflect.get(target, name, receiver) as unknown)
})

if (isMainThread) process.on("SIGUSR2", () => void (offset = offsets[jumps++ % offsets.length]!))
