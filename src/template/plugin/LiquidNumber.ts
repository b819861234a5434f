/**
 * A number of an event that JavaScript would round, in Liquid: it is printed and written as JSON with all its digits, and
 * compared by them. Filters that compute get the rounded number.
 */
import { ExactNumber, compareWithRounded } from "../../postgres/ExactJson.ts"

/** LiquidJS compares an object by these methods. */
export class LiquidNumber {
  /** Not a property, so that it is taken for no entry of a dictionary. */
  readonly #exact: ExactNumber

  constructor(digits: string) {
    this.#exact = new ExactNumber(digits)
  }

  equals(other: unknown): boolean {
    return this.compare(other) === 0
  }

  gt(other: unknown): boolean {
    return this.compare(other) > 0
  }

  geq(other: unknown): boolean {
    return this.compare(other) >= 0
  }

  lt(other: unknown): boolean {
    return this.compare(other) < 0
  }

  leq(other: unknown): boolean {
    return this.compare(other) <= 0
  }

  private compare(other: unknown): number {
    if (other instanceof LiquidNumber) return compareWithRounded(this.#exact, other.#exact)
    return typeof other === "number" ? compareWithRounded(this.#exact, other) : Number.NaN
  }

  /** As plugins get it: an integer with all digits, another number rounded. */
  get json(): bigint | number {
    const digits = this.toString()
    return /[.e]/i.test(digits) ? Number(digits) : BigInt(digits)
  }

  valueOf(): number {
    return Number(this.toString())
  }

  toString(): string {
    return this.#exact.toString()
  }

  toJSON(): unknown {
    return this.#exact.toJSON()
  }
}
