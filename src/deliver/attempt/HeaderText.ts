/** Headers and answers as the log keeps them: without credentials, and of headers at most a page. */
import { isUtf8 } from "node:buffer"
import { isSecretHeader } from "../../inventory/field/hidden/HeaderSecrets.ts"
import { hiddenMark } from "../../inventory/field/hidden/Hiding.ts"

/** Most characters that are kept of the headers of one message. */
export const keptCharsMax = 4096

export const headerText = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>): string => {
  let text = ""
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === "object") for (const each of value) text += lineOf(name, each)
    else text += lineOf(name, String(value))
    if (text.length > keptCharsMax) return `${text.slice(0, keptCharsMax)}…\n`
  }
  return text
}

const lineOf = (name: string, value: string): string => `${name}: ${isSecretHeader(name, value) ? hiddenMark : value}\n`

/** Shortest part of a credential that is looked for in an answer, characters: a shorter one may be any word. */
const credentialMin = 8

/** The credentials that a request carries; of Basic authorization also as the receiver decodes it. */
export const credentialsIn = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const name in headers) {
    const value = headers[name]!
    if (!isSecretHeader(name, value)) continue
    found.push(...[...value.split(/[\s=;,]+/), ...partsOfBasic(value)].filter((part) => part.length >= credentialMin))
  }
  return found
}

const partsOfBasic = (value: string): ReadonlyArray<string> => {
  const encoded = /^basic\s+(\S+)/i.exec(value)?.[1]
  return encoded === undefined ? [] : withoutBase64(encoded).split(":")
}

const withoutBase64 = (encoded: string): string => {
  const bytes = Buffer.from(encoded, "base64")
  return isUtf8(bytes) ? bytes.toString() : bytes.toString("latin1")
}

/** A receiver's answer without the credentials that it was sent: some receivers echo the request. */
export const withoutCredentials = (text: string, credentials: ReadonlyArray<string>): string =>
  credentials.reduce((left, credential) => left.replaceAll(credential, hiddenMark), text)

/** The logged text of headers as the API shows it. */
export const headersOf = (text: string): ReadonlyArray<{ readonly name: string; readonly value: string }> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(": ")
      return colon < 0 ? { name: line, value: "" } : { name: line.slice(0, colon), value: line.slice(colon + 2) }
    })
