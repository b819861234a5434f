/** The time to show a body. DeliveryParts.test.ts shows that long bodies are cut. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { shownBody } from "../../src/console/exchange/BodyText.ts"
import { longBodies } from "./LongBodies.ts"

it.each(longBodies)("a long body is cut in short time, whatever it is", async (text) => {
  const from = performance.now()
  await Effect.runPromise(shownBody(text, "Body"))
  expect(performance.now() - from).toBeLessThan(3000)
})
