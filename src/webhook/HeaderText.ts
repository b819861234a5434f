/** Headers and answers as the log keeps them: without credentials, and of headers at most a page. */
import { isUtf8 } from "node:buffer"
import { isSecretHeader } from "../inventory/field/hidden/HeaderSecrets.ts"
import { hiddenMark } from "../inventory/field/hidden/Hiding.ts"
import { chainHeader } from "./Chain.ts"

/** Most characters that are kept of the headers of one message. */
export const keptCharsMax = 4096

/** Headers as the log keeps them, without the header of chains: a reader of the log could repeat it. */
export const headerText = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>): string => {
  let text = ""
  for (const name in headers) {
    const value = headers[name]
    if (name === chainHeader) continue
    if (typeof value === "object") for (const each of value) text += lineOf(name, each)
    else text += lineOf(name, String(value))
    if (text.length > keptCharsMax) return `${text.slice(0, keptCharsMax)}…\n`
  }
  return text
}

const lineOf = (name: string, value: string): string => `${name}: ${isSecretHeader(name, value) ? hiddenMark : value}\n`

/** Shortest part of a credential that is searched for in an answer, characters: a shorter one may be any word. */
const credentialMin = 8

/** Most credentials that are searched for in an answer: the event loop searches it for each. */
const credentialsMax = 64

/**
 * Hides the credentials of a request in the texts of its answer, since some receivers echo the request: as they were
 * sent, and as JSON, HTML, a URL or base64 writes them. If the request carries too many, the whole text is hidden.
 */
export const maskOf = (headers: Readonly<Record<string, string>>): ((text: string) => string) => {
  const credentials = credentialsIn(headers)
  if (credentials.size === 0) return (text) => text
  if (credentials.size > credentialsMax) return (text) => (text === "" ? "" : hiddenMark)
  // A credential may begin with another one: hiding the shorter one first would leave the end of the longer.
  const written = [...new Set([...credentials].flatMap(spellingsOf))].toSorted((a, b) => b.length - a.length)
  return (text) => written.reduce((left, each) => left.replaceAll(each, hiddenMark), text)
}

/** The credentials that a request carries; of Basic authorization also as the receiver decodes it. */
const credentialsIn = (headers: Readonly<Record<string, string>>): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const name in headers) {
    const value = headers[name]!
    if (!isSecretHeader(name, value)) continue
    for (const part of [...value.split(/[\s=;,]+/), ...partsOfBasic(value)]) {
      if (part.length >= credentialMin) found.add(part)
    }
  }
  return found
}

const spellingsOf = (credential: string): ReadonlyArray<string> => [
  credential,
  JSON.stringify(credential).slice(1, -1),
  credential.replaceAll(/[&<>"']/g, (character) => entities[character]!),
  encodeURIComponent(credential.toWellFormed()),
  // Without the end that pads it.
  Buffer.from(credential).toString("base64").replace(/=+$/, ""),
  Buffer.from(credential).toString("base64url")
]

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const partsOfBasic = (value: string): ReadonlyArray<string> => {
  const encoded = /^basic\s+(\S+)/i.exec(value)?.[1]
  return encoded === undefined ? [] : withoutBase64(encoded).split(":")
}

const withoutBase64 = (encoded: string): string => {
  const bytes = Buffer.from(encoded, "base64")
  return isUtf8(bytes) ? bytes.toString() : bytes.toString("latin1")
}

/** The logged text of headers as the API shows it. */
export const headersOf = (text: string): ReadonlyArray<{ readonly name: string; readonly value: string }> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(": ")
      return colon < 0 ? { name: line, value: "" } : { name: line.slice(0, colon), value: line.slice(colon + 2) }
    })
