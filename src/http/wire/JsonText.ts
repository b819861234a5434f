/** The text of an answer in JSON: made in slices, item by item of its lists, and refused before it is larger than a limit. */
import { Effect } from "effect"
import { inSlices } from "../../eventloop/Slices.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { Listed } from "./Listed.ts"

/** Largest answer in JSON, characters: a page of a thousand usual objects has two to five million. */
export const answerCharsMax = 32 * 1024 * 1024

/** Characters between two looks at the clock, and characters that are encoded at once. */
const stepChars = 4 * 1024
const partChars = 64 * 1024

/** A shorter list is written with what is around it. */
const longList = 20

/** The answer as JSON, as bytes where it is long; undefined if it has more than `max` characters. */
export const jsonText = (json: unknown, max = answerCharsMax): Effect.Effect<string | Buffer | undefined> =>
  Effect.suspend(() => {
    const text = new Text(max)
    return Effect.map(inSlices(writing(json, text)), (isWhole) => (isWhole ? text.whole() : undefined))
  })

class Text {
  private readonly parts: Array<Buffer> = []
  private open = ""
  /** Characters that may follow. */
  private left: number

  constructor(max: number) {
    this.left = max
  }

  /** Adds a piece; false if the text becomes too large. */
  add(piece: string): boolean {
    this.left -= piece.length
    this.open += piece
    if (this.open.length >= partChars) {
      this.parts.push(Buffer.from(this.open))
      this.open = ""
    }
    return this.left >= 0
  }

  whole(): string | Buffer {
    return this.parts.length === 0 ? this.open : Buffer.concat([...this.parts, Buffer.from(this.open)])
  }
}

/** Writes JSON of which long lists are written item by item: the value itself, or one that a dictionary holds. */
function* writing(json: unknown, text: Text): Generator<void, boolean> {
  if (isLong(json)) return yield* writingItems(json, text)
  const entries = isDictionary(json) ? Object.entries(json) : []
  if (!entries.some(([, value]) => isLong(value))) return text.add(JSON.stringify(json))
  let before = "{"
  for (const [name, value] of entries) {
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

function* writingItems(list: LongList, text: Text): Generator<void, boolean> {
  let chars = 0
  for (let at = 0; at < list.length; at++) {
    const item = JSON.stringify(list instanceof Listed ? list.show(at) : list[at]) ?? "null"
    if (!text.add(at === 0 ? "[" : ",") || !text.add(item)) return false
    chars += item.length
    if (chars < stepChars) continue
    chars = 0
    yield
  }
  return text.add(list.length === 0 ? "[]" : "]")
}
