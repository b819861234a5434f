/** The text of an answer's body. Pure. */
import { isUtf8 } from "node:buffer"

/** Most bytes of a character in UTF-8 that can be cut off at the end of what is kept. */
const cutBytesMax = 3

const charsetIn = /;\s*charset\s*=\s*"?([-\w:.]{1,40})/i

/** Decodes by the charset that the answer names, or else as UTF-8; as Latin-1 where it is neither. */
export const textOf = (bytes: Buffer, contentType: string | ReadonlyArray<string> | undefined): string => {
  const [type = ""] = [contentType].flat()
  const decoder = decoderOf(charsetIn.exec(type)?.[1])
  if (decoder !== undefined) return decoder.decode(bytes)
  // A zero byte is in no text: it is compressed, or an image.
  return bytes.includes(0) || isBeginOfUtf8(bytes) ? bytes.toString("utf8") : latin1.decode(bytes)
}

/** Whether bytes are UTF-8, of which a last character may be cut off. */
const isBeginOfUtf8 = (bytes: Buffer): boolean => {
  for (let cut = 0; cut <= cutBytesMax; cut++) {
    const end = bytes.subarray(bytes.length - cut)
    const isCut = cut === 0 || (end[0]! >= firstByteOf[cut + 1]! && end.subarray(1).every(isContinuation))
    if (isCut && isUtf8(bytes.subarray(0, bytes.length - cut))) return true
  }
  return false
}

/** The lowest first byte of characters that have at least so many bytes. */
const firstByteOf: Readonly<Record<number, number>> = { 2: 0xc2, 3: 0xe0, 4: 0xf0 }

const isContinuation = (byte: number): boolean => byte >= 0x80 && byte < 0xc0

/** As browsers read Latin-1: with the quotes and dashes of Windows. */
const latin1 = new TextDecoder("windows-1252")

/** Undefined for UTF-8, which is checked, and for an unknown charset. */
const decoderOf = (charset: string | undefined): InstanceType<typeof TextDecoder> | undefined => {
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}
