/** The text of an answer in JSON: made in slices, a few items at a time, and refused before it is larger than a limit. */
import { Effect } from "effect"
import { inSlices } from "../../eventloop/Slices.ts"
import { type Dictionary, isDictionary } from "../../inventory/Field.ts"
import { Listed } from "./Listed.ts"

/** Largest answer in JSON, characters: a page of a thousand usual objects has two to five million. */
export const answerCharsMax = 32 * 1024 * 1024

/** Characters between two readings of the clock, and characters that are encoded at once. */
const stepChars = 8 * 1024
const partChars = 64 * 1024

/** A shorter text is sent as it is, together with its headers; a longer one is sent sooner if it is encoded already. */
const textCharsMax = 8 * 1024

/**
 * Most items that one call of `JSON.stringify` writes; a call for each takes a fifth longer. Items may be larger than
 * those before them, by which their number is decided.
 */
const groupMax = 8

/** A shorter list is written with what is around it. */
const longList = 20

/** The answer as JSON, as bytes where it is long; undefined if it has more than `max` characters. */
export const jsonText = (json: unknown, max = answerCharsMax): Effect.Effect<string | Buffer | undefined> =>
  Effect.suspend(() => {
    if (!isLong(json) && !holdsLong(json)) {
      const whole = JSON.stringify(json)
      return Effect.succeed(whole.length <= max ? whole : undefined)
    }
    const text = new Text(max)
    return Effect.map(inSlices(writing(json, text)), (isWhole) => (isWhole ? text.whole() : undefined))
  })

class Text {
  private readonly parts: Array<Buffer> = []
  private open: Array<string> = []
  private openChars = 0
  /** Characters that may follow. */
  left: number

  constructor(max: number) {
    this.left = max
  }

  /** Adds a piece; false if the text becomes too large. */
  add(piece: string): boolean {
    this.left -= piece.length
    this.open.push(piece)
    this.openChars += piece.length
    if (this.openChars >= partChars) this.encode()
    return this.left >= 0
  }

  whole(): string | Buffer {
    if (this.parts.length === 0 && this.openChars <= textCharsMax) return this.open.join("")
    this.encode()
    return this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts)
  }

  private encode(): void {
    this.parts.push(this.openChars <= scratchChars ? encoded(this.open) : Buffer.from(this.open.join("")))
    this.open = []
    this.openChars = 0
  }
}

/** Characters that fit into a buffer of three bytes for each, in which no text is left: encoding takes one turn. */
const scratchChars = 2 * partChars
const scratch = Buffer.allocUnsafeSlow(3 * scratchChars)

/** Without joining them: that copies them once more. */
const encoded = (pieces: ReadonlyArray<string>): Buffer => {
  let at = 0
  for (const piece of pieces) at += scratch.write(piece, at)
  return Buffer.from(scratch.subarray(0, at))
}

/** Writes JSON with long lists group by group: a list itself, or a dictionary of lists. */
function* writing(json: unknown, text: Text): Generator<void, boolean> {
  if (isLong(json)) return yield* writingItems(json, text)
  let before = "{"
  for (const [name, value] of Object.entries(json as Dictionary)) {
    if (value === undefined) continue
    const key = `${before}${JSON.stringify(name)}:`
    before = ","
    const fits = isLong(value)
      ? text.add(key) && (yield* writingItems(value, text))
      : text.add(key + JSON.stringify(value))
    if (!fits) return false
  }
  return text.add("}")
}

type LongList = Listed | ReadonlyArray<unknown>

const isLong = (value: unknown): value is LongList =>
  value instanceof Listed || (Array.isArray(value) && value.length > longList)

const holdsLong = (json: unknown): boolean => {
  if (!isDictionary(json)) return false
  for (const name in json) if (isLong(json[name])) return true
  return false
}

function* writingItems(list: LongList, text: Text): Generator<void, boolean> {
  if (list.length === 0) return text.add("[]")
  let count = 1
  for (let at = 0; at < list.length; yield) {
    const items = list.slice(at, at + count)
    const group = JSON.stringify(items)
    if (!text.add(at === 0 ? "[" : ",") || !text.add(group.slice(1, -1))) return false
    at += items.length
    const chars = group.length / items.length
    const fitting = Math.min(stepChars, text.left) / chars
    count = Math.max(1, Math.min(groupMax, 2 * count, Math.ceil(fitting)))
  }
  return text.add("]")
}
