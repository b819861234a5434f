/** Blocks of PEM. Pure and linear. OpenSSL gets them as this module writes them, so that both read the same blocks. */

interface PemBlock {
  readonly label: string
  /** Undefined where the block has header lines, or is not base64. */
  readonly bytes: Buffer | undefined
}

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----([^-]*)-----END \1-----/g

/** Base64 without white space. A pattern that allows white space behind the padding takes quadratic time for blanks. */
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

const decoded = (body: string): Buffer | undefined => {
  const text = body.replaceAll(/\s+/g, "")
  return base64.test(text) ? Buffer.from(text, "base64") : undefined
}

/** The complete blocks of a text. */
export const blocksIn = (text: string): ReadonlyArray<PemBlock> =>
  [...text.matchAll(block)].map(([, label, body]) => ({
    label: label!,
    bytes: decoded(body!)
  }))

/** The number of blocks that begin in a text, complete or not. */
export const blocksBegun = (text: string): number => text.split("-----BEGIN ").length - 1

export const pemOf = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`
