/** Sends files of the device type library to a running service. */
import { setTimeout } from "node:timers/promises"
import type { Account } from "../mcp/Rest.ts"
import { type Kind, type LibraryFile, pathOf, placeOf } from "./LibraryFiles.ts"

/** The part of the service's report that the command reads (http/files/Import.ts). */
export interface LibraryReport {
  readonly created: number
  readonly unchanged: number
  readonly templates: number
  readonly pictures: number
  readonly manufacturers: ReadonlyArray<string>
  readonly ignored?: ReadonlyArray<string>
}

/** An error at a line of a file. */
export interface FileError {
  readonly file: string
  readonly line: number
  readonly message: string
}

type Outcome =
  | { readonly report: LibraryReport }
  /** Files that are refused; none of the request was written. */
  | { readonly errors: ReadonlyArray<FileError> }

/** Time that an answer may take, milliseconds: the service itself gives up after fifteen minutes. */
const answerMillis = 960_000

/** Times that a request is sent to a service that is busy. */
const triesMax = 20

/** Most seconds to wait for a busy service. */
const waitSecondsMax = 60

/** Most characters of an error that are passed on. */
const errorCharsMax = 1000

/** Rejects with an `Error` whose message has the reason, if the service does not answer or refuses the sender. */
export const sendFiles = async (
  { url, token }: Account,
  kind: Kind,
  batch: ReadonlyArray<LibraryFile>,
  isDryRun: boolean
): Promise<Outcome> => {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${url}${pathOf(kind)}${isDryRun ? "?dry_run=true" : ""}`, {
      method: "POST",
      // Another host must not get the token.
      redirect: "error",
      signal: AbortSignal.timeout(answerMillis),
      headers: {
        accept: "application/json",
        "content-type": "application/yaml",
        ...(token !== undefined && { authorization: `Token ${token}` })
      },
      body: batch.map(({ text }) => text).join("")
    }).catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message : error.message
      throw new Error(`The service at ${url} does not answer: ${why}. RACKWIRE_URL says where it is.`)
    })
    const text = await response.text()
    if (response.ok) return { report: JSON.parse(text) as LibraryReport }
    if ((response.status === 503 || response.status === 429) && attempt < triesMax) {
      const seconds = Number(response.headers.get("retry-after") ?? 1)
      await setTimeout(Math.min(Math.max(seconds, 1), waitSecondsMax) * 1000)
      continue
    }
    const errors = response.status === 400 || response.status === 413 ? errorsIn(text, batch) : []
    if (errors.length > 0) return { errors }
    const hint = token === undefined ? " RACKWIRE_TOKEN is not set." : ""
    throw new Error(`The service answered ${response.status}: ${text.slice(0, errorCharsMax)}${hint}`)
  }
}

interface Refusal {
  readonly detail?: string
  readonly line?: number
  readonly errors?: ReadonlyArray<{
    readonly line?: number
    readonly errors: Readonly<Record<string, ReadonlyArray<string>>>
  }>
}

/** The errors of an answer by file and line. */
const errorsIn = (text: string, batch: ReadonlyArray<LibraryFile>): ReadonlyArray<FileError> => {
  const refusal = refusalIn(text)
  const at = (line: number, message: string): FileError => {
    const place = placeOf(batch, line)
    return { file: place.file.name, line: place.line, message }
  }
  if (refusal.line !== undefined) return [at(refusal.line, withoutLine(refusal.detail ?? ""))]
  return (refusal.errors ?? []).flatMap(({ line, errors }) =>
    Object.entries(errors).map(([field, messages]) => {
      const words = [messages].flat().join(" ")
      return at(line ?? 1, field === "__all__" ? words : `${field}: ${words}`)
    })
  )
}

const refusalIn = (text: string): Refusal => {
  try {
    return JSON.parse(text) as Refusal
  } catch {
    return {}
  }
}

/** The line of the request is none of the file's. */
const withoutLine = (detail: string): string => detail.replace(/^(?:The file cannot be read: )?line \d+: /i, "")
