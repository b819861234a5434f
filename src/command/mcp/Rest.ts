/** Sends requests to the REST API of a running service with a token. Failures become sentences. */

/** Where the service is, and whose rights count. */
export interface Account {
  readonly url: string
  /** Undefined for nobody: then only exempt object types are shown. */
  readonly token: string | undefined
}

export type Query = Readonly<Record<string, unknown>>

/** Sends a request; resolves with the JSON of the answer, or rejects with an `Error` whose message has the reason. */
export type Rest = (method: string, path: string, parts?: { query?: Query; body?: unknown }) => Promise<unknown>

/** Time that an answer may take, milliseconds. */
const answerMillis = 30_000

/** Largest answer that is read, bytes. */
const answerBytesMax = 4 << 20

/** Most characters of an error that are passed on. */
const errorCharsMax = 2000

export const restOf =
  ({ url, token }: Account): Rest =>
  async (method, path, { query = {}, body } = {}) => {
    const address = new URL(url + path)
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value].flat()) if (each !== undefined) address.searchParams.append(name, String(each))
    }
    const response = await fetch(address, {
      method,
      // Another host must not get the token.
      redirect: "error",
      signal: AbortSignal.timeout(answerMillis),
      headers: {
        accept: "application/json",
        ...(token !== undefined && { authorization: `Token ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" })
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    }).catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message : error.message
      throw new Error(`The service at ${url} does not answer: ${why}. RACKWIRE_URL says where it is.`)
    })
    const text = await textOf(response)
    const hint = token === undefined ? " RACKWIRE_TOKEN is not set." : ""
    if (!response.ok) throw new Error(`The service answered ${response.status}: ${text.slice(0, errorCharsMax)}${hint}`)
    return text === "" ? null : JSON.parse(text)
  }

const textOf = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > answerBytesMax) throw new Error(`The answer is longer than ${answerBytesMax} bytes: request less.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
