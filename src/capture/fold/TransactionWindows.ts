/**
 * Collects the changes of each transaction and folds them, in windows.
 *
 * A window closes at the commit, or after a fixed count or size of raw messages. A transaction of any size therefore
 * passes in constant memory, and a second reading cuts it at the same places.
 */
import { createHash } from "node:crypto"
import { contextPrefix, messageCharsMax } from "../../postgres/Messages.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { isStorable } from "../../inventory/Field.ts"
import { isUuid } from "../../inventory/field/Scalar.ts"
import { soundTraceparent } from "../../telemetry/TraceContext.ts"
import { type RequestLine, chainMax, pathCharsMax } from "../../inventory/write/Transaction.ts"
import { CaptureError } from "../CaptureError.ts"
import {
  type Change,
  type ChangeContext,
  type ObjectChange,
  type Readable,
  type UnknownState,
  fold,
  unknown
} from "./Change.ts"
import { isMoved, movedPrefix } from "../MovedTransaction.ts"
import { refilledPrefix, refilledRow } from "../RefilledRow.ts"
import { type RelayedEvent, relayedEvent, relayedPrefix } from "../RelayedEvent.ts"
import type { Handler } from "../wal/Pgoutput.ts"

/** The transaction as its events have it. */
interface Transaction {
  readonly commitLsn: bigint
  /** The lower 32 bits of its number in Postgres. */
  readonly xid: number
  /** Time of the commit, ISO 8601 with microseconds and offset. */
  readonly timestamp: string
  /** For changes without a context: no author, and a request id that is the same in a second reading. */
  readonly anonymous: ChangeContext
}

/** Computes on demand what not every transaction needs. */
class WalTransaction implements Transaction {
  readonly commitLsn: bigint
  readonly xid: number
  private readonly micros: number
  private readonly installation: string

  constructor(commitLsn: bigint, micros: number, xid: number, installation: string) {
    this.commitLsn = commitLsn
    this.xid = xid
    this.micros = micros
    this.installation = installation
  }

  get timestamp(): string {
    return isoMicros(this.micros)
  }

  get anonymous(): ChangeContext {
    return { username: "", requestId: stableUuid(`${this.installation} ${this.commitLsn}`) }
  }
}

export interface Window {
  readonly transaction: Transaction
  readonly changes: ReadonlyArray<ObjectChange<Readable>>
  /** For the last window of a transaction: the LSN behind the commit. */
  readonly endLsn: bigint | undefined
  /** Content of a heartbeat. Everybody may write one: capture recognizes its own. */
  readonly heartbeat: string | undefined
  /** Object types whose tables the transaction truncated up to here. */
  readonly truncated: ReadonlyArray<ObjectType>
  /**
   * Types of rows that were moved here (MovedTransaction.ts): no events are made of them, and they are not read. Undefined
   * for any other transaction.
   */
  readonly moved: ReadonlySet<ObjectType> | undefined
  /** Events of sources, with the counts of raw messages before them. */
  readonly relayed: ReadonlyArray<RelayedInWindow>
}

export interface RelayedInWindow {
  readonly event: RelayedEvent
  readonly idx: number
}

/** Prefix of the messages by which capture measures its lag. */
export const heartbeatPrefix = "rackwire:beat:v2"

/** Longest context that is read, characters: user names have at most 150. */
const contextCharsMax = 4096

/** Most characters of an unreadable context that are kept. */
const contextShown = 200

/** Raw messages per window. Positions depend on it: a change of it needs a new epoch. */
export const windowMessages = 1024

/** A window also closes when the messages of its changes reach this size, bytes: one row may be as large. */
const windowBytes = 16 * 1024 * 1024

export class TransactionWindows implements Handler {
  /** Transactions with a change that has no context. */
  withoutContext = 0
  /** Context messages that could not be parsed, and the beginning of the last one. */
  unreadableContexts = 0
  lastUnreadable = ""
  private transaction: Transaction | undefined
  private changes: Array<Change<Readable>> = []
  private relayed: Array<RelayedInWindow> = []
  private context: ChangeContext | undefined
  private heartbeat: string | undefined
  private moved: Set<ObjectType> | undefined
  private truncated: ReadonlyArray<ObjectType> = []
  private messages = 0
  private bytes = 0
  private lastCommit = 0n
  private readonly installation: string
  private readonly onWindow: (window: Window) => void
  private readonly open: (sealed: string) => string | undefined

  /**
   * `installation` makes the request ids of changes without a context differ between databases; `open` opens texts that
   * we sealed.
   */
  constructor(
    installation: string,
    onWindow: (window: Window) => void,
    open: (sealed: string) => string | undefined = () => undefined
  ) {
    this.installation = installation
    this.onWindow = onWindow
    this.open = open
  }

  get inTransaction(): boolean {
    return this.transaction !== undefined
  }

  begin(commitLsn: bigint, micros: number, xid: number): void {
    if (this.transaction !== undefined) throw protocol(`a transaction at ${commitLsn} inside another`)
    if (commitLsn <= this.lastCommit) throw protocol(`a transaction at ${commitLsn} after one at ${this.lastCommit}`)
    this.transaction = new WalTransaction(commitLsn, micros, xid, this.installation)
    this.messages = 0
    this.context = undefined
    this.heartbeat = undefined
    this.moved = undefined
  }

  message(prefix: string, content: string): void {
    if (prefix === heartbeatPrefix) this.heartbeat = content
    if (prefix === contextPrefix) {
      this.context = parseContext(content)
      if (this.context === undefined) {
        this.unreadableContexts += 1
        this.lastUnreadable = content.slice(0, contextShown)
      }
    }
    if (prefix === movedPrefix && this.transaction !== undefined && this.messages === 0) {
      if (isMoved(this.open(content), this.transaction.xid)) this.moved = new Set()
    }
    if (prefix === refilledPrefix && this.transaction !== undefined) this.refill(content, this.transaction)
    if (prefix === relayedPrefix && this.transaction !== undefined) this.relay(content, this.transaction)
    this.step()
  }

  change(
    type: ObjectType | undefined,
    before: Readable | UnknownState | undefined,
    after: Readable | undefined,
    bytes: number
  ): void {
    if (type !== undefined) this.changes.push({ type, before, after, idx: this.messages, context: this.context })
    this.bytes += bytes
    this.step()
  }

  get skipsRows(): boolean {
    return this.moved !== undefined
  }

  skipped(type: ObjectType): void {
    this.moved?.add(type)
    this.step()
  }

  truncate(types: ReadonlyArray<ObjectType>): void {
    this.truncated = [...this.truncated, ...types]
    this.step()
  }

  commit(commitLsn: bigint, endLsn: bigint): void {
    const { transaction } = this
    if (transaction?.commitLsn !== commitLsn)
      throw protocol(`a commit at ${commitLsn} that does not end its transaction`)
    this.close(transaction, endLsn)
    this.lastCommit = commitLsn
    this.transaction = undefined
  }

  private refill(content: string, { xid }: Transaction): void {
    const refilled = refilledRow(this.open(content), xid)
    if (refilled === undefined) return
    const { type, kind, row } = refilled
    const before = kind === "created" ? undefined : unknown
    this.changes.push({ type, before, after: row, idx: this.messages, context: this.context })
    this.bytes += content.length
  }

  private relay(content: string, { xid }: Transaction): void {
    const event = relayedEvent(content, this.open, xid)
    if (event === undefined) return
    this.relayed.push({ event, idx: this.messages })
    this.bytes += content.length
  }

  private step(): void {
    if (this.transaction === undefined) throw protocol("a change outside a transaction")
    this.messages += 1
    if (this.messages % windowMessages === 0 || this.bytes >= windowBytes) this.close(this.transaction, undefined)
  }

  private close(transaction: Transaction, endLsn: bigint | undefined): void {
    const { heartbeat, truncated, moved, relayed } = this
    const changes = fold(this.changes)
    this.changes = []
    this.relayed = []
    this.bytes = 0
    this.truncated = []
    if (changes.some(({ context }) => context === undefined)) this.withoutContext += 1
    if (changes.length + relayed.length + truncated.length > 0 || endLsn !== undefined)
      this.onWindow({ transaction, changes, endLsn, heartbeat, truncated, moved, relayed })
  }
}

const protocol = (message: string) => new CaptureError({ reason: "Protocol", message })

/**
 * Returns undefined if the content is no context of ours, or if the change log could not store it (a text in Postgres
 * has no zero byte): every user of the database may send such a message.
 */
const parseContext = (content: string): ChangeContext | undefined => {
  if (content.length > contextCharsMax) return undefined
  try {
    const { user, request, message, ...rest } = JSON.parse(content) as Readonly<Record<string, unknown>>
    if (!isText(user) || !isUuid(request)) return undefined
    // Counted as Postgres counts, which cut it.
    const isReason = isText(message) && message !== "" && [...message].length <= messageCharsMax
    return { username: user, requestId: request, request: requestLineOf(rest), ...(isReason && { message }) }
  } catch {
    return undefined
  }
}

const requestLineOf = (line: Readonly<Record<string, unknown>>): RequestLine | undefined => {
  const { method, path, token } = line
  if (!isText(method) || !isText(path) || path.length > pathCharsMax) return undefined
  const traceparent = isText(line["traceparent"]) ? soundTraceparent(line["traceparent"]) : undefined
  return {
    ...{ method, path },
    ...(Number.isSafeInteger(token) && { token: Number(token) }),
    ...(traceparent !== undefined && { traceparent }),
    ...(isChain(line["chain"]) && { chain: line["chain"] })
  }
}

const isChain = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.length > 0 && value.length <= chainMax && value.every(Number.isSafeInteger)

const isText = (value: unknown): value is string => typeof value === "string" && isStorable(value)

const isoMicros = (micros: number): string => {
  const millis = Math.floor(micros / 1000)
  const rest = String(micros - millis * 1000).padStart(3, "0")
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}+00:00`
}

/** A UUID (version 8) that is the same for the same text. */
const stableUuid = (text: string): string => {
  const hex = createHash("sha256").update(text).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
