/** Retry and discard of one delivery over the API: what is allowed in which state, and what is sent by it. */
import { describe, expect, it, onTestFinished } from "vitest"
import { startReceiver } from "../support/Receiver.ts"
import { startDelivering } from "../deliver/Delivering.ts"

const hooks = startDelivering()

const act = async (action: "retry" | "discard", id: number, body?: unknown) => {
  const { status, json } = await hooks.api.call<{ detail?: string }>(
    "POST",
    `/api/extras/deliveries/${id}/${action}/`,
    body
  )
  return [status, json.detail] as const
}

const muchLater = { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } }

/** A delivery that has failed once and waits an hour for its next attempt. */
const waiting = async (name: string) => {
  hooks.answers.set(`/${name}`, 500)
  const webhook = await hooks.webhook(name, muchLater)
  await hooks.tag(`${name} one`)
  const { id } = await hooks.delivery(webhook, "retrying")
  return { id, webhook }
}

describe("a retry of one delivery", () => {
  it("replaces the attempt that is scheduled; asked for twice at once it sends one request", async () => {
    const { id, webhook } = await waiting("twice")
    hooks.answers.delete("/twice")
    const [first, second] = await Promise.all([act("retry", id, { attempts: 1 }), act("retry", id, { attempts: 1 })])
    expect([first[0], second[0]].toSorted()).toEqual([200, 409])
    const done = await hooks.delivery(webhook, "successful")
    expect([done.attempts, done.next_attempt]).toEqual([2, null])
    expect(await act("retry", id, { attempts: 1 })).toEqual([
      409,
      "It was attempted meanwhile: there are 2 attempts now, not 1."
    ])
    // A third request would arrive before this later delivery of another webhook.
    await hooks.webhook("after-twice")
    await hooks.tag("after-twice one")
    await hooks.arrived("after-twice", 1)
    expect(hooks.at("twice")).toHaveLength(2)
  })

  it("of what has succeeded asks for confirmation", async () => {
    const webhook = await hooks.webhook("again")
    await hooks.tag("again one")
    const { id } = await hooks.delivery(webhook, "successful")
    expect(await act("retry", id)).toEqual([409, "The receiver has accepted it. Confirm that it is to be sent again."])
    expect((await act("retry", id, { again: "yes" }))[0]).toBe(400)
    expect((await act("retry", id, { attempts: "many" }))[0]).toBe(400)
    expect((await act("retry", id, { again: true }))[0]).toBe(200)
    await expect.poll(async () => (await hooks.delivery(webhook, "successful")).attempts).toBe(2)
    expect(hooks.at("again")).toHaveLength(2)
    expect(await act("discard", id)).toEqual([409, "The receiver has accepted it: there is nothing to discard."])
  })

  it("is refused while it is attempted", async () => {
    let open: () => void = () => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const slow = await startReceiver(({ headers }) => (headers["x-hook-attempt"] === "1" ? 500 : gate.then(() => 200)))
    onTestFinished(() => slow.close())
    const schedule = { kind: "fixed", delay: 0.05, attempts: 3 }
    const webhook = await hooks.webhook("busy", { payload_url: slow.url, retry_schedule: schedule })
    await hooks.tag("busy one")
    await slow.untilAll((received) => received.length === 2)
    const { id } = await hooks.delivery(webhook, "retrying")
    expect(await act("retry", id)).toEqual([409, "It is being attempted now, or is about to be. Wait for the outcome."])
    open()
    expect(await hooks.delivery(webhook, "successful")).toMatchObject({ attempts: 2 })
    expect(slow.received).toHaveLength(2)
  })

  it("of what was discarded is refused, and so is another discard", async () => {
    const { id } = await waiting("gone")
    expect((await act("discard", id))[0]).toBe(200)
    expect(await act("discard", id)).toEqual([409, "The delivery was discarded already."])
    const replay = "A replay of its webhook sends the change again."
    expect(await act("retry", id)).toEqual([409, `The delivery was discarded. ${replay}`])
  })

  it("of what the change log no longer holds is refused, and leaves it as it is", async () => {
    const webhook = await hooks.webhook("pruned")
    await hooks.tag("pruned one")
    const { id } = await hooks.delivery(webhook, "successful")
    const { sql } = hooks.api.database
    await sql.query(
      "delete from extras_objectchange where position = (select position from extras_delivery where id = $1::bigint)",
      [`${id}`]
    )
    expect(await act("retry", id, { again: true })).toEqual([
      409,
      "The change log does not hold the event, so nothing is left that could be sent."
    ])
    expect((await hooks.delivery(webhook, "successful")).attempts).toBe(1)
  })

  it("of a paused webhook waits until it is resumed, and is refused meanwhile", async () => {
    const { id, webhook } = await waiting("halted")
    await hooks.api.call("POST", `/api/extras/webhooks/${webhook}/pause/`)
    expect((await act("retry", id))[0]).toBe(200)
    const refused = async () => act("retry", id)
    await expect.poll(refused).toEqual([409, expect.stringContaining("when its webhook is no longer paused")])
    expect(hooks.at("halted")).toHaveLength(1)
  })
})
