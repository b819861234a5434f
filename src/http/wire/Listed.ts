/**
 * Objects of an answer that are represented one by one, while its text is made: the representations of a list may be
 * many times as large as its rows. Pure.
 */
export class Listed {
  /** How many objects there are. */
  readonly length: number
  /** The representation of the object at this place, and a short one for answers that would be too large. */
  readonly show: (at: number) => unknown
  readonly showBriefly: ((at: number) => unknown) | undefined

  private constructor(length: number, show: Listed["show"], showBriefly: Listed["showBriefly"]) {
    this.length = length
    this.show = show
    this.showBriefly = showBriefly
  }

  static of<A>(items: ReadonlyArray<A>, show: (item: A) => unknown, showBriefly?: (item: A) => unknown): Listed {
    return new Listed(items.length, (at) => show(items[at]!), showBriefly && ((at) => showBriefly(items[at]!)))
  }

  /** The same list with the short representations; undefined where there are none. */
  get brief(): Listed | undefined {
    return this.showBriefly && new Listed(this.length, this.showBriefly, undefined)
  }

  /** The representations from one place to before another. */
  slice(from: number, to: number): ReadonlyArray<unknown> {
    const shown: Array<unknown> = []
    for (let at = from; at < to && at < this.length; at++) shown.push(this.show(at))
    return shown
  }

  toJSON(): ReadonlyArray<unknown> {
    return this.slice(0, this.length)
  }
}
