/**
 * Compares what a receiver got with what webhooks are owed: every delivery was accepted at least once, under one id and
 * with one content, and is in the delivery log once; nothing else arrived.
 */
import { createHash } from "node:crypto"
import type { Sql } from "../support/Sql.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import type { Differences } from "./Differences.ts"
import { Random } from "./Random.ts"
import type { Owed } from "./StreamOracle.ts"

interface Got {
  readonly digest: string
  accepted: number
}

/** Share of requests that the receiver refuses, so that some deliveries wait for a retry. */
const refusedPart = 0.03

export class DeliveryOracle {
  readonly url: string
  private readonly got = new Map<string, Got>()
  private readonly mixed: Array<string> = []
  private readonly receiver: Receiver

  private constructor(receiver: Receiver) {
    this.receiver = receiver
    this.url = receiver.url
  }

  static async start(seed: number): Promise<DeliveryOracle> {
    const random = new Random(`receiver ${seed}`)
    const receiver = await startReceiver(({ headers, body }) => {
      const status = random.chance(refusedPart) ? 503 : 200
      oracle.take(String(headers["x-hook-delivery"]), body, status === 200)
      return status
    })
    const oracle = new DeliveryOracle(receiver)
    return oracle
  }

  /** Requests after the first accepted one. */
  get repeats(): number {
    return [...this.got.values()].reduce((sum, { accepted }) => sum + Math.max(accepted - 1, 0), 0)
  }

  async compare(
    sql: Sql,
    owed: ReadonlyMap<number, ReadonlyArray<Pick<Owed, "id">>>,
    differences: Differences
  ): Promise<void> {
    for (const id of this.mixed) differences.add(`delivery ${id} came with different bodies`)
    const expected = new Set([...owed].flatMap(([webhook, each]) => each.map(({ id }) => `${webhook}-${id}`)))
    for (const id of this.got.keys()) if (!expected.has(id)) differences.add(`delivery ${id} is not owed`)
    for (const id of expected) {
      if ((this.got.get(id)?.accepted ?? 0) === 0) differences.add(`delivery ${id} was never accepted`)
    }
    const rows = await sql.query<{ readonly id: string; readonly status: string }>(
      "select delivery_id as id, status from extras_delivery"
    )
    const logged = new Map(rows.map(({ id, status }) => [id, status]))
    if (logged.size !== rows.length) differences.add("the delivery log holds a delivery twice")
    for (const id of expected) {
      const status = logged.get(id) ?? "missing"
      if (status !== "successful") differences.add(`delivery ${id} is ${status} in the delivery log`)
    }
  }

  close(): Promise<void> {
    return this.receiver.close()
  }

  private take(id: string, body: Buffer, accepted: boolean): void {
    const digest = createHash("sha1").update(body).digest("base64")
    const known = this.got.get(id) ?? { digest, accepted: 0 }
    this.got.set(id, known)
    if (accepted) known.accepted += 1
    if (known.digest !== digest) this.mixed.push(id)
  }
}
