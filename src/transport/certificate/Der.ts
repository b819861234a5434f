/**
 * ASN.1 in DER, as far as keys and certificates need it: elements with tags of one byte and definite lengths. Pure and
 * linear. Other encodings are refused, so that OpenSSL cannot read the same bytes in another way.
 */

interface Element {
  /** As encoded: class, whether it is constructed, and number. */
  readonly tag: number
  readonly content: Buffer
}

export type Elements = ReadonlyArray<Element>

export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  /** `[number]`, explicit. */
  context: (number: number): number => 0xa0 + number
}

/** Most bytes of a length, behind its first byte. */
const lengthBytesMax = 4

/** Returns the elements that the bytes consist of, or undefined where they are not DER. */
export const elementsIn = (bytes: Buffer): Elements | undefined => {
  const elements: Array<Element> = []
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at]!
    // A number of 31 and above has more bytes.
    if ((tag & 0x1f) === 0x1f) return undefined
    const head = contentOf(bytes, at + 1)
    if (head === undefined || head.end > bytes.length) return undefined
    elements.push({ tag, content: bytes.subarray(head.begin, head.end) })
    at = head.end
  }
  return elements
}

/** Where the content begins and ends whose length is written at this place. */
const contentOf = (bytes: Buffer, at: number): { readonly begin: number; readonly end: number } | undefined => {
  const first = bytes[at]
  if (first === undefined) return undefined
  if (first < 0x80) return { begin: at + 1, end: at + 1 + first }
  const count = first & 0x7f
  if (count === 0 || count > lengthBytesMax || at + 1 + count > bytes.length) return undefined
  const begin = at + 1 + count
  return { begin, end: begin + bytes.readUIntBE(at + 1, count) }
}

/** The content of an element that must have this tag. */
export const contentAs = (tag: number, element: Element | undefined): Buffer | undefined =>
  element?.tag === tag ? element.content : undefined

/** The elements within an element that must have this tag. */
export const elementsAs = (tag: number, element: Element | undefined): Elements | undefined => {
  const content = contentAs(tag, element)
  return content === undefined ? undefined : elementsIn(content)
}

/** The elements of the one element that the bytes must consist of, a sequence. */
export const sequenceIn = (bytes: Buffer): Elements | undefined => {
  const elements = elementsIn(bytes)
  return elements?.length === 1 ? elementsAs(tags.sequence, elements[0]) : undefined
}

/** The bytes of a positive integer without zeros before them, or undefined. */
export const positiveIn = (element: Element | undefined): Buffer | undefined => {
  const content = contentAs(tags.integer, element)
  if (content === undefined || content.length === 0 || content[0]! >= 0x80) return undefined
  const first = content.findIndex((byte) => byte !== 0)
  return first < 0 ? undefined : content.subarray(first)
}

/** The number of bits of a positive integer's bytes. */
export const bitsOf = (bytes: Buffer): number => bytes.length * 8 - Math.clz32(bytes[0]!) + 24

/** `1.2.840`, in hexadecimal digits of its encoding: object identifiers are compared by it. */
export const oidIn = (element: Element | undefined): string | undefined => contentAs(tags.oid, element)?.toString("hex")
