/**
 * A replication connection: start-up, authentication, simple queries, and then the stream of a slot.
 *
 * Bytes are handled synchronously as they arrive; nothing here waits, allocates per row, or decodes WAL data.
 */
import { once } from "node:events"
import { type Socket, isIP } from "node:net"
import { connect as connectTls } from "node:tls"
import { openSocket } from "../../postgres/Postgres.ts"
import { type Place, type PostgresAddress, isSocket, shownPlace } from "../../postgres/PostgresUrl.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { adviceFor } from "../Advice.ts"
import { CaptureError, asCaptureError } from "../CaptureError.ts"
import { Frames, type OnMessage } from "./Frames.ts"
import { authenticate, startup } from "./Login.ts"
import { Tag, errorOf, simpleQuery, textRow, transport } from "./Messages.ts"

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

  /** Connects to the first host that is fit, and authenticates. Rejects with a CaptureError. */
  static async connect(address: PostgresAddress): Promise<Walsender> {
    const errors: Array<CaptureError> = []
    for (const place of address.hosts) {
      try {
        return await Walsender.connectTo(place, address)
      } catch (error) {
        errors.push(asCaptureError(error))
      }
    }
    if (errors.length === 1) throw errors[0]!
    const { reason } = errors.find((error) => error.reason !== "Transport") ?? errors[0]!
    const message = errors.map((error, at) => `${shownPlace(address.hosts[at]!)}: ${error.message}`).join("; ")
    throw new CaptureError({ reason, message })
  }

  private static async connectTo(place: Place, address: PostgresAddress): Promise<Walsender> {
    const walsender = new Walsender(await dial(place, address))
    try {
      await walsender.exchange((resolve) => {
        walsender.onMessage = authenticate(walsender.socket, address, resolve)
        walsender.socket.write(startup(address))
      }, address.connectMillis)
      return walsender
    } catch (error) {
      walsender.close()
      throw advised(asCaptureError(error), address)
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

  private exchange<A>(
    run: (resolve: (value: A) => void, reject: (error: CaptureError) => void) => void,
    millis = answerMillis
  ): Promise<A> {
    let timer: NodeJS.Timeout
    return new Promise<A>((resolve, reject) => {
      this.fail = reject
      run(resolve, reject)
      timer = setTimeout(() => this.end(transport(`no answer for ${millis} ms`)), millis)
    }).finally(() => clearTimeout(timer))
  }

  private end(error: CaptureError): void {
    const { fail } = this
    this.fail = () => {}
    this.socket.destroy()
    fail(error)
  }
}

/** The error with the statement to run, if there is one. */
const advised = (error: CaptureError, { user }: PostgresAddress): CaptureError => {
  const { reason, sqlState } = error
  const advice = adviceFor(sqlState, user)
  return advice === undefined || sqlState === undefined
    ? error
    : new CaptureError({ reason, sqlState, message: `${error.message}: ${advice}` })
}

/** An open connection, encrypted if the address requires it. */
const dial = async (place: Place, { tls, connectMillis = dialMillis }: PostgresAddress): Promise<Socket> => {
  const { host } = place
  const socket = openSocket(place)
  const within = (event: string, on = socket): Promise<ReadonlyArray<Buffer>> =>
    once(on, event, { signal: AbortSignal.timeout(connectMillis) })
  try {
    await within("connect")
    if (tls === undefined || isSocket(place)) return socket
    socket.write(sslRequest)
    const [answer] = await within("data")
    // More bytes than the answer are from an attacker in between: they must not be taken for encrypted ones.
    if (answer?.toString("latin1") !== "S") throw transport("the server speaks no TLS")
    const encrypted = connectTls({ host, servername: isIP(host) === 0 ? host : "", ...tls, socket })
    await within("secureConnect", encrypted)
    return encrypted
  } catch (error) {
    socket.destroy()
    throw transport(inWords(error))
  }
}

/** Time for each step of connecting if the address names none, and for each answer after that, milliseconds. */
const dialMillis = 10_000
const answerMillis = 30_000

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
