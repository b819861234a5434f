/** After each file, stops the services that it left running: the next file of the worker has nothing to do with them. */
import { afterAll } from "vitest"
import { running } from "./Running.ts"

afterAll(async () => {
  await Promise.all([...running].map((service) => service.stop()))
  running.clear()
})
