/**
 * Loaded into a service before anything else: at SIGUSR2 its clock jumps, an hour ahead, an hour back, and home again.
 * What only rises (`performance.now`, timers) goes on as it would with a real clock that is set.
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
