/**
 * A replication connection: start-up, authentication, simple queries, and then the stream of a slot.
 *
 * Bytes are handled synchronously as they arrive; nothing here waits, allocates per row, or decodes WAL data.
 */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type Socket, isIP } from "node:net"
import { connect as connectTls } from "node:tls"
import { PgAuth } from "@effect/sql-pg"
import { Result } from "effect"
import { openSocket } from "../../postgres/Postgres.ts"
import type { PostgresAddress } from "../../postgres/PostgresUrl.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { CaptureError, asCaptureError, fromSqlState } from "../CaptureError.ts"
import { Frames, type OnMessage } from "./Frames.ts"

/** Called with what the stream brings: WAL data, keepalives, the end of each chunk of bytes, and its own end. */
interface StreamHandler {
  /** A pgoutput message: `bytes` from `start` to `end`; a handler may keep the bytes. */
  readonly onData: (bytes: Buffer, start: number, end: number) => void
  readonly onKeepalive: (walEnd: bigint, replyAtOnce: boolean) => void
  readonly onChunkEnd: () => void
  readonly onEnd: (error: CaptureError) => void
}

/** Postgres counts microseconds from 2000-01-01. */
export const postgresEpochMillis = 946_684_800_000

const protocolVersion = 196_608

export class Walsender {
  private readonly socket: Socket
  private readonly frames = new Frames()
  private onMessage: OnMessage = () => {}
  private onChunkEnd: () => void = () => {}
  private fail: (error: CaptureError) => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on("data", (chunk) => {
      try {
        this.frames.push(chunk, (tag, bytes, start, end) => this.onMessage(tag, bytes, start, end))
        this.onChunkEnd()
      } catch (error) {
        this.end(asCaptureError(error))
      }
    })
    socket.on("error", (error) => this.end(transport(inWords(error))))
    socket.on("close", () => this.end(transport("the connection closed")))
  }

  /** Connects and authenticates. Rejects with a CaptureError. */
  static async connect(address: PostgresAddress): Promise<Walsender> {
    const walsender = new Walsender(await dial(address))
    try {
      await walsender.exchange((resolve) => {
        walsender.onMessage = authenticate(walsender.socket, address, resolve)
        walsender.socket.write(startup(address))
      })
      return walsender
    } catch (error) {
      walsender.close()
      throw error
    }
  }

  /** Runs one statement; resolves with its rows, every value as text or null. */
  query(sql: string): Promise<ReadonlyArray<ReadonlyArray<string | null>>> {
    const rows: Array<ReadonlyArray<string | null>> = []
    return this.exchange((resolve, reject) => {
      let error: CaptureError | undefined
      this.onMessage = (tag, bytes, start, end) => {
        if (tag === Tag.dataRow) rows.push(textRow(bytes, start))
        else if (tag === Tag.error) error = errorOf(bytes, start, end)
        else if (tag === Tag.ready) {
          if (error === undefined) resolve(rows)
          else reject(error)
        }
      }
      this.socket.write(simpleQuery(sql))
    })
  }

  /** Starts the stream of a slot; resolves when the server has started it. */
  stream(command: string, handler: StreamHandler): Promise<void> {
    return this.exchange((resolve, reject) => {
      this.onMessage = (tag, bytes, start, end) => {
        if (tag === Tag.error) return reject(errorOf(bytes, start, end))
        if (tag !== Tag.copyBoth) return
        this.fail = handler.onEnd
        this.onChunkEnd = handler.onChunkEnd
        this.onMessage = (tag, bytes, start, end) => streamed(handler, tag, bytes, start, end)
        resolve(undefined)
      }
      this.socket.write(simpleQuery(command))
    })
  }

  /** Reports to the server what was received, and up to where it may drop the WAL; `ask` requests a reply. */
  sendStatus(received: bigint, confirmed: bigint, ask = false): void {
    const nowMillis = performance.timeOrigin + performance.now()
    const message = Buffer.allocUnsafe(39)
    message[0] = Tag.copyData
    message.writeInt32BE(38, 1)
    message[5] = Tag.status
    message.writeBigUInt64BE(received, 6)
    message.writeBigUInt64BE(confirmed, 14)
    message.writeBigUInt64BE(confirmed, 22)
    message.writeBigInt64BE(BigInt(Math.round((nowMillis - postgresEpochMillis) * 1000)), 30)
    message[38] = ask ? 1 : 0
    this.socket.write(message)
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  close(): void {
    this.fail = () => {}
    this.socket.destroy()
  }

  private exchange<A>(run: (resolve: (value: A) => void, reject: (error: CaptureError) => void) => void): Promise<A> {
    let timer: NodeJS.Timeout
    return new Promise<A>((resolve, reject) => {
      this.fail = reject
      run(resolve, reject)
      timer = setTimeout(() => this.end(transport(`no answer for ${answerMillis} ms`)), answerMillis)
    }).finally(() => clearTimeout(timer))
  }

  private end(error: CaptureError): void {
    const { fail } = this
    this.fail = () => {}
    this.socket.destroy()
    fail(error)
  }
}

/** An open connection, encrypted if the address requires it. */
const dial = async ({ host, port, tls }: PostgresAddress): Promise<Socket> => {
  const socket = openSocket({ host, port })
  try {
    await within(socket, "connect")
    if (tls === undefined) return socket
    socket.write(sslRequest)
    const [answer] = await within(socket, "data")
    // More bytes than the answer are from an attacker in between: they must not be taken for encrypted ones.
    if (answer?.toString("latin1") !== "S") throw transport("the server speaks no TLS")
    const encrypted = connectTls({ host, servername: isIP(host) === 0 ? host : "", ...tls, socket })
    await within(encrypted, "secureConnect")
    return encrypted
  } catch (error) {
    socket.destroy()
    throw transport(inWords(error))
  }
}

/** Time for each step of connecting, and for each answer after that, milliseconds. */
const dialMillis = 10_000
const answerMillis = 30_000

const within = (socket: Socket, event: string): Promise<ReadonlyArray<Buffer>> =>
  once(socket, event, { signal: AbortSignal.timeout(dialMillis) })

const transport = (message: string) => new CaptureError({ reason: "Transport", message })

const code = (letter: string) => letter.charCodeAt(0)

const Tag = {
  authentication: code("R"),
  copyBoth: code("W"),
  copyData: code("d"),
  copyDone: code("c"),
  dataRow: code("D"),
  error: code("E"),
  keepalive: code("k"),
  ready: code("Z"),
  status: code("r"),
  walData: code("w")
} as const

/** Bytes before the pgoutput message in a WAL data message: tag, start, end, clock. */
const walDataHeader = 25

const streamed = (handler: StreamHandler, tag: number, bytes: Buffer, start: number, end: number): void => {
  if (tag === Tag.copyData) {
    if (bytes[start] === Tag.walData) handler.onData(bytes, start + walDataHeader, end)
    else if (bytes[start] === Tag.keepalive)
      handler.onKeepalive(bytes.readBigUInt64BE(start + 1), bytes[start + 17] === 1)
  } else if (tag === Tag.error) throw whileStreaming(errorOf(bytes, start, end))
  else if (tag === Tag.copyDone) throw transport("the server ended the stream")
}

/** When the stream has begun there is a slot: it is the publication that does not exist. */
const whileStreaming = (error: CaptureError): CaptureError =>
  error.sqlState === "42704" ? new CaptureError({ reason: "Undecodable", message: error.message }) : error

const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])

const startup = (address: PostgresAddress): Buffer => {
  const parameters = {
    user: address.user,
    database: address.database,
    replication: "database",
    application_name: "rackwire capture",
    client_encoding: "UTF8",
    timezone: "UTC",
    datestyle: "ISO"
  }
  const text = Object.entries(parameters)
    .map(([name, value]) => `${name}\0${value}\0`)
    .join("")
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length, 0)
  head.writeInt32BE(protocolVersion, 4)
  return Buffer.concat([head, body])
}

const message = (tag: string, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head[0] = code(tag)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const simpleQuery = (sql: string): Buffer => message("Q", Buffer.from(`${sql}\0`))

/** Authenticates: replies to the server until it is ready for queries. */
const authenticate = (socket: Socket, address: PostgresAddress, ready: (value: undefined) => void): OnMessage => {
  const unwrap = <A>(result: Result.Result<A, PgAuth.AuthError>): A => {
    if (Result.isSuccess(result)) return result.success
    throw new CaptureError({ reason: "Refused", message: result.failure.message })
  }
  const { user, password } = address
  let scram: PgAuth.ScramState | undefined
  return (tag, bytes, start, end) => {
    if (tag === Tag.error) throw errorOf(bytes, start, end)
    if (tag === Tag.ready) return ready(undefined)
    if (tag !== Tag.authentication) return
    const body = bytes.subarray(start + 4, end)
    const kind = bytes.readInt32BE(start)
    if (kind === 0) return
    if (kind === 3) socket.write(message("p", Buffer.from(`${password}\0`)))
    else if (kind === 5) {
      socket.write(message("p", Buffer.from(`${unwrap(PgAuth.md5Password({ user, password, salt: body }))}\0`)))
    } else if (kind === 10) {
      const first = unwrap(PgAuth.scramInit({ password, nonce: randomBytes(18).toString("base64") }))
      scram = first.state
      const mechanism = Buffer.from(`${PgAuth.SCRAM_SHA_256}\0`)
      const length = Buffer.alloc(4)
      length.writeInt32BE(first.response.length)
      socket.write(message("p", Buffer.concat([mechanism, length, first.response])))
    } else if (kind === 11 && scram?._tag === "ScramFirst") {
      const final = unwrap(PgAuth.scramContinue(scram, body))
      scram = final.state
      socket.write(message("p", final.response))
    } else if (kind === 12 && scram?._tag === "ScramFinal") unwrap(PgAuth.scramFinish(scram, body))
    else throw new CaptureError({ reason: "Refused", message: `the server requires authentication of kind ${kind}` })
  }
}

const textRow = (bytes: Buffer, start: number): ReadonlyArray<string | null> => {
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
const errorOf = (bytes: Buffer, start: number, end: number): CaptureError => {
  const fields = new Map(
    bytes
      .toString("utf8", start, end)
      .split("\0")
      .filter((field) => field !== "")
      .map((field) => [field[0], field.slice(1)])
  )
  return fromSqlState(fields.get("C") ?? "", fields.get("M") ?? "")
}
