/**
 * A lower bound of the ids of rows that may still be committed. A transaction that gets its number after some moment gets
 * its ids after that moment too: they are above the highest id of then.
 */
import type { SourceMoment } from "../netbox/NetBoxTable.ts"

/** A statement may get an id just before its transaction gets a number. */
const slackIds = 1000n

/** Most moments that are kept: a transaction that is open for longer keeps the bound as it is. */
const momentsMax = 1000

export class IdFloor {
  private floor: string
  private moments: Array<Pick<SourceMoment, "top" | "lastId">> = []

  constructor(floor: string) {
    this.floor = floor
  }

  note({ top, lastId }: SourceMoment): void {
    if (this.moments.length < momentsMax) this.moments.push({ top, lastId })
  }

  /** The bound for rows of transactions that are not before the oldest open one of a moment. */
  under({ xid }: Pick<SourceMoment, "xid">): string {
    while (this.moments[0] !== undefined && BigInt(this.moments[0].top) <= BigInt(xid)) {
      const last = BigInt(this.moments.shift()!.lastId) - slackIds
      if (last > BigInt(this.floor)) this.floor = `${last}`
    }
    return this.floor
  }
}
