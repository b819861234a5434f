/**
 * The requests of all webhooks of a process that wait for their answers. Each holds a descriptor, and receivers that
 * answer nothing would hold them all: as much as is still free may one webhook hold. So one of them gets half of all, two
 * a third each, and a webhook that has none under way may always begin one.
 */

/** Most requests under way in a process, but for one of each webhook. */
const requestsMax = 2048

export class Requests {
  private readonly max: number
  /** How many there are. */
  count = 0

  constructor(max = requestsMax) {
    this.max = max
  }

  /** How many more a webhook with so many may begin. */
  roomFor(own: number): number {
    return Math.max(this.max - this.count - own, own === 0 ? 1 : 0)
  }
}
