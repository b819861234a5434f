/**
 * Runs in each file: gives fast-check the seed of the run, watches the event loop, keeps the logs of services for the
 * report of a failed test, and stops the services that the file left running, since the next file of the worker has
 * nothing to do with them.
 */
import "./Coverage.ts"
import { afterAll, afterEach, expect } from "vitest"
import { running } from "./Running.ts"
import { seedProperties } from "./Seed.ts"
import { watch } from "./Watchdog.ts"

seedProperties()
watch(expect.getState().testPath!)

/** Lines of each service's log that a failure shows. */
const logLines = 15

afterEach(({ task }) => {
  if (task.result?.state !== "fail" || running.size === 0) return
  task.meta.log = Array.from(running, ({ output }) => output().trim().split("\n").slice(-logLines).join("\n")).join(
    "\n--\n"
  )
})

afterAll(async () => {
  const left = Array.from(running).filter(({ outlivesFile }) => !outlivesFile)
  await Promise.all(left.map((service) => service.stop()))
  for (const service of left) running.delete(service)
})
