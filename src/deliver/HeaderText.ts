/** Headers of a request or an answer as the log keeps them: a line each, secrets masked, no more than a page. */

/** Names whose values open doors. A signature does not: it is good for one body. */
const secret = /auth|cookie|credential|key|passw|secret|session|token/i

/** Names that would be taken for such. */
const harmless: ReadonlySet<string> = new Set(["www-authenticate", "proxy-authenticate", "idempotency-key"])

const mask = "********"

/** Most characters that are kept of the headers of one message. */
const sizeMax = 4096

const isSecret = (name: string): boolean => secret.test(name) && !harmless.has(name)

export const headerText = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>): string => {
  let text = ""
  for (const name in headers) {
    const value = headers[name]
    for (const each of typeof value === "object" ? value : [value]) {
      text += `${name}: ${isSecret(name) ? mask : each}\n`
      if (text.length > sizeMax) return `${text.slice(0, sizeMax)}…\n`
    }
  }
  return text
}

/** Of the text of a header in the log, as the API shows it. */
export const headersOf = (text: string): ReadonlyArray<{ readonly name: string; readonly value: string }> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(": ")
      return colon < 0 ? { name: line, value: "" } : { name: line.slice(0, colon), value: line.slice(colon + 2) }
    })
