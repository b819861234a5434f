/** Objects that NetBox may confirm by their ETag instead of sending them again, up to so many bytes. */
import type { FoundObject } from "./FetchedObject.ts"

interface ValidatedObject {
  readonly etag: string
  readonly found: FoundObject
}

/** Bytes that an entry takes beside its text: V8 keeps most texts with one byte a character, others with two. */
const entryBytes = 200

const sizeBytes = (key: string, { etag, found }: ValidatedObject): number =>
  2 * (key.length + etag.length + found.json.length) + entryBytes

/** An ETag that a header may repeat: `"abc"` or `W/"abc"`. */
const valid = /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/

export class ValidatedObjects {
  private readonly bytesMax: number
  private readonly entries = new Map<string, ValidatedObject>()
  private usedBytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** The object, which is then the one that was used last. */
  get(key: string): ValidatedObject | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry
  }

  /** Stores the object, and drops those that were used longest ago. Without a valid ETag nothing is stored. */
  set(key: string, etag: string | undefined, found: FoundObject): void {
    this.delete(key)
    if (etag === undefined || !valid.test(etag)) return
    const entry = { etag, found }
    this.usedBytes += sizeBytes(key, entry)
    this.entries.set(key, entry)
    for (const oldest of this.entries.keys()) {
      if (this.usedBytes <= this.bytesMax) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.usedBytes -= sizeBytes(key, entry)
    this.entries.delete(key)
  }
}
