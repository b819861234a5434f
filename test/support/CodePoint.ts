/** Any character that UTF-8 can carry. fast-check's own unit `binary` means the same, and takes a second to make. */
import fc from "fast-check"

const surrogates = { first: 0xd800, count: 0x800 }

export const codePoint: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
  fc.nat(0x10ffff - surrogates.count).map((n) => String.fromCodePoint(n < surrogates.first ? n : n + surrogates.count))
)
