/**
 * Programs that verify a delivery when they are pasted: they read the webhook's secret from the environment, print
 * `valid` and succeed, or print `invalid` and fail. Pure.
 *
 * Their parts of the delivery are base64, hex, digits and an id of ours, so nothing in it can end a literal of any
 * language.
 */
import type { SignatureCheck } from "../Signatures.ts"

/** Longest body that is part of a program, bytes. A longer one is read from a file. */
export const embeddedBytesMax = 8192

/** The file from which a program reads a body that is too long. */
export const bodyFile = "body.bin"

export interface Subject {
  readonly scheme: SignatureCheck["scheme"]
  /** The body in base64; undefined to read it from the file. */
  readonly body: string | undefined
  /** Text that is signed before the body. */
  readonly prefix: string
  /** As the program computes it: hex, or base64 without its version. Several while a secret is being replaced. */
  readonly signatures: ReadonlyArray<string>
}

export interface Language {
  readonly name: string
  readonly title: string
  /** The command that runs it, with the file's name. */
  readonly run: string
  readonly write: (subject: Subject) => string
}

/** The content that the programs verify; undefined where there is no signature that they could compute, or no body. */
export const subjectOf = (
  scheme: SignatureCheck["scheme"],
  signatures: ReadonlyArray<SignatureCheck>,
  body: Buffer | undefined
): Subject | undefined => {
  // A signature of Ed25519 is verified with the public key, which the receiver has.
  const own = signatures.filter((each) => each.scheme === scheme && each.algorithm !== "Ed25519")
  if (own.length === 0 || body === undefined) return undefined
  return {
    scheme,
    body: body.length > embeddedBytesMax ? undefined : body.toString("base64"),
    prefix: own[0]!.prefix,
    signatures: own.map(({ value }) => value.replace(/^v1,/, ""))
  }
}

/** Signatures as a list of literals in double quotes. */
export const quotedList = (signatures: ReadonlyArray<string>): string =>
  signatures.map((each) => `"${each}"`).join(", ")

/** The lines that are there, as a text. */
export const program = (...lines: ReadonlyArray<string | undefined>): string =>
  `${lines.filter((line) => line !== undefined).join("\n")}\n`
