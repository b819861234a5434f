/**
 * Random choices that follow from a text: the same seed chooses the same again. Every part has a generator of its own,
 * so that more choices of one part do not change those of another.
 */

/** FNV-1a. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

export class Random {
  private state: number

  constructor(seed: string) {
    this.state = hash(seed)
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let value = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.between(0, from.length - 1)]!
  }

  /** Each as often as its weight says. */
  weighted<A extends { readonly weight: number }>(from: ReadonlyArray<A>): A {
    let left = this.next() * from.reduce((sum, { weight }) => sum + weight, 0)
    return from.find(({ weight }) => (left -= weight) < 0) ?? from.at(-1)!
  }

  /** Another generator, for somebody who is told apart by the name. */
  fork(name: string): Random {
    return new Random(`${this.state} ${name}`)
  }
}
