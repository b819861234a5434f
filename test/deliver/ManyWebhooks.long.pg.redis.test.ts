/** A user with many webhooks that all have a backlog, and another user with one: how many deliveries come before theirs. */
import { expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "./Delivering.ts"

const hooks = startDelivering()

const webhooks = 40
const tags = 40

/** Most deliveries of the one user that come before the first of the other: four reads of 32 each, and as many again. */
const beforeMax = 256

it("the delivery of one webhook comes after few of those of another user's forty", async () => {
  const seeing = { types: ["extras.tag"], actions: ["view"] }
  const [many, one] = [await makeUser(hooks.api, "many", seeing), await makeUser(hooks.api, "one", seeing)]
  await hooks.api.call("POST", "/api/core/sending/pause/")
  for (let n = 0; n < webhooks; n++) {
    await hooks.webhook(`many ${n}`, {
      payload_url: `${hooks.receiver.url}/many`,
      scope_user: many.id,
      conditions: { attr: "name", op: "regex", value: "flood " }
    })
  }
  const waiting = await hooks.webhook("one", { scope_user: one.id })
  await hooks.api.call(
    "POST",
    "/api/extras/tags/",
    Array.from({ length: tags }, (_, n) => ({ name: `flood ${n}`, slug: `flood-${n}` }))
  )
  await hooks.tag("one t")
  await eventually("everything is queued", async () => {
    const { json } = await hooks.api.call<{ queued: number }>("GET", "/api/core/pipeline/")
    return json.queued === webhooks * tags + 1
  })
  await hooks.api.call("POST", "/api/core/sending/resume/")
  await hooks.arrived("one", 1)
  await hooks.arrived("many", webhooks * tags)
  const before = hooks.receiver.received.findIndex(({ path }) => path === "/one")
  expect(before).toBeLessThan(beforeMax)
  expect(hooks.at("many")).toHaveLength(webhooks * tags)
  await hooks.deliveries(waiting, "successful", 1)
})
