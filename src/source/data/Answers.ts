/** The answers of a call, one for each object, up to so many characters together. */
import { type FetchedObject, type ObjectName, absent } from "./FetchedObject.ts"

const keyOf = ({ type, objectId }: ObjectName): string => `${type} ${objectId}`

export const tooMuch = absent("TooLarge", "The objects of the batch have too many bytes together.")

export class Answers {
  private readonly charsMax: number
  private readonly all = new Map<string, FetchedObject>()
  private chars = 0

  constructor(charsMax: number) {
    this.charsMax = charsMax
  }

  /** Whether further objects would be too much. */
  get isFull(): boolean {
    return this.chars > this.charsMax
  }

  set(name: ObjectName, answer: FetchedObject): void {
    if (answer._tag === "Found") this.chars += answer.json.length
    this.all.set(keyOf(name), this.isFull ? tooMuch : answer)
  }

  get(name: ObjectName): FetchedObject | undefined {
    return this.all.get(keyOf(name))
  }
}
