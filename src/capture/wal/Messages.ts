/** Messages of Postgres' protocol, as bytes. */
import { CaptureError, fromSqlState } from "../CaptureError.ts"

const code = (letter: string) => letter.charCodeAt(0)

export const Tag = {
  authentication: code("R"),
  copyBoth: code("W"),
  copyData: code("d"),
  copyDone: code("c"),
  dataRow: code("D"),
  error: code("E"),
  keepalive: code("k"),
  parameter: code("S"),
  ready: code("Z"),
  status: code("r"),
  walData: code("w")
} as const

export const message = (tag: string, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head[0] = code(tag)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

export const simpleQuery = (sql: string): Buffer => message("Q", Buffer.from(`${sql}\0`))

export const textRow = (bytes: Buffer, start: number): ReadonlyArray<string | null> => {
  let at = start + 2
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0) return null
    at += length
    return bytes.toString("utf8", at - length, at)
  })
}

/** An error message of the server: fields of one letter and a text each. */
export const errorOf = (bytes: Buffer, start: number, end: number): CaptureError => {
  const fields = new Map(
    bytes
      .toString("utf8", start, end)
      .split("\0")
      .filter((field) => field !== "")
      .map((field) => [field[0], field.slice(1)])
  )
  return fromSqlState(fields.get("C") ?? "", fields.get("M") ?? "")
}

export const transport = (message: string): CaptureError => new CaptureError({ reason: "Transport", message })
