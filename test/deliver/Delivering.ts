/** A whole service with a receiver, for tests that follow deliveries through it. */
import { afterAll, beforeAll } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import type { Start } from "../support/Service.ts"
import { type Received, type Receiver, startReceiver } from "../support/Receiver.ts"

export interface Delivery {
  readonly id: number
  readonly delivery_id: string
  readonly status: { readonly value: string }
  readonly attempts: number
  readonly reason: string
  readonly message: string
  readonly first_attempt: string | null
  readonly next_attempt: string | null
  readonly duration_ms: number | null
  readonly attempt_log: ReadonlyArray<Json>
}

export class Delivering {
  /** Status by path, or what gives it; 200 for others. */
  readonly answers = new Map<string, number | (() => number | Promise<number>)>()
  api!: Api
  receiver!: Receiver

  /** Makes a webhook for tags whose name begins with `name`, posting to `/name`. */
  async webhook(name: string, fields: Json = {}): Promise<number> {
    return this.api.make("extras/webhooks", {
      name,
      content_types: ["extras.tag"],
      type_create: true,
      payload_url: `${this.receiver.url}/${name}`,
      conditions: { and: [{ attr: "name", op: "regex", value: `${name} ` }] },
      ...fields
    })
  }

  tag(name: string) {
    return this.api.call<{ id: number }>("POST", "/api/extras/tags/", named(name))
  }

  /** Requests received at `/name`. */
  at(name: string): ReadonlyArray<Received> {
    return this.receiver.received.filter(({ path }) => path === `/${name}`)
  }

  arrived(name: string, count: number): Promise<void> {
    return this.receiver.untilAll(() => this.at(name).length >= count)
  }

  /** The webhook's only delivery, once it has this status. */
  async delivery(id: number, status: string): Promise<Delivery> {
    const [found] = await this.deliveries(id, status, 1)
    return (await this.api.call<Delivery>("GET", `/api/extras/deliveries/${found!.id}/`)).json
  }

  /** The webhook's deliveries of this status, once there are so many. */
  deliveries(id: number, status: string, count: number): Promise<ReadonlyArray<Delivery>> {
    const path = `/api/extras/deliveries/?webhook_id=${id}&status=${status}&limit=1000`
    return eventually(`${count} deliveries of webhook ${id} that are ${status}`, async () => {
      const { results } = (await this.api.call<{ results: ReadonlyArray<Delivery> }>("GET", path)).json
      return results.length >= count && results
    })
  }
}

/** For the tests of the file. */
export const startDelivering = (start?: Start): Delivering => {
  const started = new Delivering()
  beforeAll(async () => {
    started.receiver = await startReceiver(({ path }) => {
      const answer = started.answers.get(path) ?? 200
      return typeof answer === "function" ? answer() : answer
    })
    started.api = await startApi({}, start)
  })
  afterAll(async () => {
    await started.api.stop()
    await started.receiver.close()
  })
  return started
}
