/**
 * Writes to a NetBox' database as NetBox does, and records the events that each committed transaction owes.
 *
 * Responsible for: requests, scripts and jobs, retention and deletions of users, on several connections at a time.
 * Guarantees: `committed` has the transactions in the order of their commits: one commit runs at a time. A commit whose
 * answer is lost with the connection is looked up. The statements of a job commit by themselves, so nothing else may
 * write meanwhile. Does not: record changes that NetBox does not log.
 */
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { eventually } from "../support/Eventually.ts"
import { type ChangeRow, type CommittedTransaction, foldRows } from "./Expectation.ts"
import type { NetBoxDatabase } from "./NetBoxDatabase.ts"
import { userTableOf } from "./NetBoxModels.ts"
import { NetBoxObjects } from "./NetBoxObjects.ts"
import { NetBoxRequest } from "./NetBoxRequest.ts"
import { type Session, openSession } from "./Session.ts"

interface RequestOptions {
  /** `admin` if undefined. */
  readonly user?: string
  /** The number of the connection, from 0; each has one open request at a time. */
  readonly connection?: number
}

/** A request whose transaction is open. */
export interface OpenRequest {
  readonly request: NetBoxRequest
  readonly commit: () => Promise<CommittedTransaction>
  readonly rollback: () => Promise<void>
}

/** The state of the writer when its database was copied. */
export interface WriterCopy {
  readonly objects: NetBoxObjects
  readonly rows: ReadonlyMap<number, ChangeRow>
}

/** The connection that reads how a transaction ended. */
const outcomeConnection = 9

/** Time for a server that restarts to answer, milliseconds. */
const answerMillis = 60_000

const direct = <A>(work: () => Promise<A>): Promise<A> => work()

export class NetBoxWriter {
  readonly committed: Array<CommittedTransaction> = []
  private readonly netbox: NetBoxDatabase
  private readonly sessions: Array<Session> = []
  private objects = new NetBoxObjects()
  /** Rows of the change table that retention has left, by id. */
  private rows = new Map<number, ChangeRow>()
  private lane: Promise<unknown> = Promise.resolve()
  private micros = Date.now() * 1000

  constructor(netbox: NetBoxDatabase) {
    this.netbox = netbox
  }

  /** Runs a request in one transaction; a request that fails is rolled back. */
  async request(
    work: (request: NetBoxRequest) => Promise<unknown>,
    options: RequestOptions = {}
  ): Promise<CommittedTransaction> {
    const { request, commit, rollback } = await this.begin(options)
    try {
      await work(request)
    } catch (error) {
      await rollback()
      throw error
    }
    return commit()
  }

  /** Begins a request and leaves its transaction open. */
  async begin({ user = "admin", connection = 0 }: RequestOptions = {}): Promise<OpenRequest> {
    const session = this.session(connection)
    const objects = new NetBoxObjects(this.objects)
    const request = new NetBoxRequest({
      ...{ netbox: this.netbox, session, objects, user, now: this.now, onWritten: () => {}, atomic: direct }
    })
    await session.query("begin")
    return {
      request,
      commit: async () => {
        const transaction = await this.inOrder(() => this.end(session, request.rows), request.rows)
        objects.commit()
        return transaction
      },
      rollback: async () => {
        if (!session.isLost()) await session.query("rollback")
      }
    }
  }

  /** Runs a job outside of a transaction: each statement commits by itself, a deletion or assignment as one. */
  async job(
    work: (request: NetBoxRequest) => Promise<unknown>,
    { user = "admin", connection = 0 }: RequestOptions = {}
  ): Promise<void> {
    const session = this.session(connection)
    const objects = new NetBoxObjects(this.objects)
    const pending = { isAtomic: false, rows: new Map<number, ChangeRow>(), amended: new Map<number, ChangeRow>() }
    const record = () => {
      const amended = [...pending.amended.values()].filter(({ id }) => !pending.rows.has(id))
      const rows = [...pending.rows.values()].map((row) => pending.amended.get(row.id) ?? row)
      if (rows.length + amended.length > 0) this.record(rows, amended)
      pending.rows.clear()
      pending.amended.clear()
      objects.commit()
    }
    const request = new NetBoxRequest({
      ...{ netbox: this.netbox, session, objects, user, now: this.now },
      onWritten: (rows, amended) => {
        for (const row of rows) pending.rows.set(row.id, row)
        for (const row of amended) pending.amended.set(row.id, row)
        if (!pending.isAtomic) record()
      },
      atomic: async (work) => {
        pending.isAtomic = true
        await session.query("begin")
        try {
          const result = await work()
          await session.query("commit")
          record()
          return result
        } catch (error) {
          await session.query("rollback")
          throw error
        } finally {
          pending.isAtomic = false
        }
      }
    })
    try {
      await work(request)
    } catch (error) {
      await this.recordRest(request.requestId)
      throw error
    }
  }

  /** Deletes the oldest rows of the change table, as retention does, up to the first that must stay, and leaves so many. */
  async retire(leaves: number, mayGo: (id: number) => boolean = () => true): Promise<CommittedTransaction> {
    const { changeTable } = this.netbox
    const oldest = [...this.rows.keys()].toSorted((a, b) => a - b).slice(0, Math.max(0, this.rows.size - leaves))
    const stays = oldest.findIndex((id) => !mayGo(id))
    const old = stays === -1 ? oldest : oldest.slice(0, stays)
    for (const id of old) this.rows.delete(id)
    return this.inOrder(
      () =>
        this.session(0).query(`delete from ${changeTable} where id = any ($1::text[]::bigint[])`, [old.map(String)]),
      [],
      { retired: old }
    )
  }

  /** Deletes a user: rows of the change table lose their reference, and keep the name. */
  async deleteUser(user: string): Promise<CommittedTransaction> {
    const { changeTable, release, users } = this.netbox
    const session = this.session(0)
    const id = users.get(user)!
    await session.query("begin")
    await session.query(`update ${changeTable} set user_id = null where user_id = ${id}`)
    await session.query(`delete from ${userTableOf(release)} where id = ${id}`)
    const amended = [...this.rows.values()].filter((row) => row.user === user)
    return this.inOrder(() => session.query("commit"), [], { amended })
  }

  /** Call it while nothing is written. */
  copy(): WriterCopy {
    return { objects: this.objects.copy(), rows: new Map(this.rows) }
  }

  /** Continues with the objects of a copy, which is the database now. */
  async restore({ objects, rows }: WriterCopy): Promise<void> {
    this.objects = objects.copy()
    this.rows = new Map(rows)
    await this.close()
  }

  async close(): Promise<void> {
    const sessions = this.sessions.splice(0)
    await Promise.all(sessions.filter((session) => session !== undefined).map((session) => session.close()))
  }

  /** The session of a connection; another one where it is lost. */
  private session(connection: number): Session {
    const known = this.sessions[connection]
    if (known?.isLost() === false) return known
    void known?.close()
    return (this.sessions[connection] = openSession(this.netbox.databaseUrl))
  }

  /** Commits; where the answer is lost, reads whether the rows are there. */
  private async end(session: Session, rows: ReadonlyArray<ChangeRow>): Promise<void> {
    try {
      await session.query("commit")
    } catch (error) {
      if (rows.length === 0 || !session.isLost()) throw error
      const found = await this.rowsOf(rows[0]!.requestId)
      if (found.length === 0) throw error
    }
  }

  /** Records rows of a job of which the answer is lost. */
  private async recordRest(requestId: string): Promise<void> {
    const found = await this.rowsOf(requestId)
    const rows = found.filter(({ id }) => !this.rows.has(id))
    const amended = found.filter((row) => this.rows.has(row.id) && !isDeepStrictEqual(this.rows.get(row.id), row))
    if (rows.length + amended.length > 0) this.record(rows, amended)
  }

  /** The rows of a request as the change table has them. */
  private async rowsOf(requestId: string): Promise<ReadonlyArray<ChangeRow>> {
    const statement = `select json_build_object('id', c.id, 'type', t.app_label || '.' || t.model, 'objectId', c.changed_object_id,
         'action', c.action, 'before', c.prechange_data, 'after', c.postchange_data, 'user', c.user_name,
         'requestId', c.request_id) as row
       from ${this.netbox.changeTable} c join django_content_type t on t.id = c.changed_object_type_id
      where c.request_id = $1::text::uuid order by c.id`
    const read = () =>
      this.session(outcomeConnection)
        .query<{ readonly row: ChangeRow }>(statement, [requestId])
        .catch(() => undefined)
    const found = await eventually("the server answers", read, { millis: answerMillis, everyMillis: 100 })
    return found.map(({ row }) => row)
  }

  /** Later than all before, with microseconds. */
  private readonly now = (): string => {
    this.micros = Math.max(this.micros + 1, Date.now() * 1000)
    return `${new Date(Math.floor(this.micros / 1000)).toISOString().slice(0, -1)}${String(this.micros % 1000).padStart(3, "0")}Z`
  }

  private inOrder(
    commit: () => Promise<unknown>,
    rows: ReadonlyArray<ChangeRow>,
    more: Partial<CommittedTransaction> = {}
  ): Promise<CommittedTransaction> {
    const done = this.lane.then(async () => {
      await commit()
      return this.record(rows, more.amended, more.retired)
    })
    this.lane = done.catch(() => undefined)
    return done
  }

  private record(
    rows: ReadonlyArray<ChangeRow>,
    amended: ReadonlyArray<ChangeRow> = [],
    retired: ReadonlyArray<number> = []
  ): CommittedTransaction {
    for (const row of [...rows, ...amended]) this.rows.set(row.id, row)
    const transaction = { events: foldRows(rows), amended, retired }
    this.committed.push(transaction)
    return transaction
  }
}

/** Text that no compression makes smaller, the same for the same seed: Postgres stores it out of line. */
export const incompressible = (chars: number, seed: string): string => {
  let text = ""
  for (let part = 0; text.length < chars; part++) {
    text += createHash("sha512").update(`${seed} ${part}`).digest("base64")
  }
  return text.slice(0, chars)
}
