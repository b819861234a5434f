/**
 * One request, script or job of a NetBox: its statements in the order in which NetBox sends them. The signals after a
 * save and before a deletion write the rows of the change table; an assignment of a list updates them afterwards.
 */
import { randomUUID } from "node:crypto"
import type { ChangeRow } from "./Expectation.ts"
import { ChangeLog } from "./NetBoxChangeLog.ts"
import type { NetBoxDatabase } from "./NetBoxDatabase.ts"
import { type Model, type Snapshot, isAtLeast, modelsOf, newSnapshot, rowOf } from "./NetBoxModels.ts"
import type { NetBoxObjects } from "./NetBoxObjects.ts"
import type { Session } from "./Session.ts"

/** Ids of objects, or names of tags, by many-to-many field. */
export type Lists = Readonly<Record<string, ReadonlyArray<number | string>>>

interface Surroundings {
  readonly netbox: NetBoxDatabase
  readonly session: Session
  readonly objects: NetBoxObjects
  readonly user: string
  /** The time of the application, ISO 8601; each is later than the last. */
  readonly now: () => string
  /** Called with what a statement outside of a transaction has written. */
  readonly onWritten: (rows: ReadonlyArray<ChangeRow>, amended: ReadonlyArray<ChangeRow>) => void
  /** Opens and closes a transaction that Django itself makes around a deletion or an assignment. */
  readonly atomic: <A>(work: () => Promise<A>) => Promise<A>
}

const insertsMax = 500

export class NetBoxRequest {
  readonly requestId = randomUUID()
  private readonly around: Surroundings
  private readonly models: Readonly<Record<string, Model>>
  private readonly log: ChangeLog

  constructor(around: Surroundings) {
    this.around = around
    this.models = modelsOf(around.netbox.release)
    this.log = new ChangeLog({ ...around, requestId: this.requestId })
  }

  /** The rows of its changes as they are now. */
  get rows(): ReadonlyArray<ChangeRow> {
    return this.log.rows
  }

  /** Creates an object, and then assigns its lists. */
  async create(type: string, values: Snapshot, lists: Lists = {}): Promise<number> {
    const [id] = await this.createMany(type, [values])
    await this.assign(type, id!, lists)
    return id!
  }

  /** Creates objects as a script does; the rows of the change table have the order of the objects. */
  async createMany(type: string, all: ReadonlyArray<Snapshot>): Promise<ReadonlyArray<number>> {
    const { netbox, objects, now } = this.around
    const model = this.model(type)
    const made: Array<number> = []
    for (let at = 0; at < all.length; at += insertsMax) {
      const snapshots = all
        .slice(at, at + insertsMax)
        .map((values) => newSnapshot(netbox.release, model, values, now()))
      const ids = await this.insert(
        model.table,
        snapshots.map((snapshot) => rowOf(model, snapshot))
      )
      for (const [index, id] of ids.entries()) objects.set(type, id, snapshots[index])
      await this.log.add(ids.map((id, index) => this.change(type, id, "create", null, snapshots[index]!)))
      made.push(...ids)
    }
    return made
  }

  /** Saves an object with other values, and then assigns its lists. */
  async update(type: string, id: number, values: Snapshot, lists: Lists = {}): Promise<void> {
    const { session, objects, now } = this.around
    const { table, ...rest } = this.model(type)
    const before = objects.get(type, id)
    const after = { ...before, ...values, last_updated: now() }
    const row = rowOf({ table, ...rest }, after)
    const names = Object.keys(row)
    await session.query(
      `update ${table} set (${names.join(", ")}) = (select ${names.map((name) => `r.${name}`).join(", ")}
         from jsonb_populate_record(null::${table}, $1::text::jsonb) r) where id = $2::text::bigint`,
      [JSON.stringify(row), `${id}`]
    )
    objects.set(type, id, after)
    await this.log.add([this.change(type, id, "update", before, after)])
    await this.assign(type, id, lists, before)
  }

  /** Assigns many-to-many fields. `before`: the object before the save that it follows; undefined for none. */
  async assign(type: string, id: number, lists: Lists, before?: Snapshot): Promise<void> {
    for (const [field, wanted] of Object.entries(lists)) await this.assignList({ type, id, field, wanted, before })
  }

  private assignList({ type, id, field, wanted, before }: Assignment): Promise<void> {
    const { netbox, objects, atomic } = this.around
    return atomic(async () => {
      const held = objects.get(type, id)
      const had = held[field] as ReadonlyArray<number | string>
      const next = field === "tags" ? (wanted as ReadonlyArray<string>).toSorted() : wanted
      const removed = had.filter((each) => !next.includes(each))
      const added = next.filter((each) => !had.includes(each))
      if (removed.length + added.length === 0) return
      await this.writeList(type, id, field, removed, added)
      const after = { ...held, [field]: next }
      objects.set(type, id, after)
      // NetBox misses the signal of a list that is cleared; 4.6 handles that of tags.
      const isCleared = next.length === 0 && !(field === "tags" && isAtLeast(netbox.release, "4.6"))
      if (!isCleared) await this.log.amend(this.change(type, id, "update", before ?? held, after))
    })
  }

  private async writeList(
    type: string,
    id: number,
    field: string,
    removed: ReadonlyArray<number | string>,
    added: ReadonlyArray<number | string>
  ): Promise<void> {
    const { session, netbox } = this.around
    if (field === "tags") {
      const content = `${netbox.types.get(type)!}`
      for (const tag of removed) {
        await session.query(
          `delete from extras_taggeditem i using extras_tag t
            where i.tag_id = t.id and t.name = $1 and i.object_id = $2::text::bigint and i.content_type_id = $3::text::int`,
          [tag, `${id}`, content]
        )
      }
      for (const tag of added) {
        await session.query(
          `insert into extras_taggeditem (object_id, content_type_id, tag_id)
           select $2::text::bigint, $3::text::int, id from extras_tag where name = $1`,
          [tag, `${id}`, content]
        )
      }
      return
    }
    const { table, own, other } = this.model(type).lists[field]!
    const ids = (all: ReadonlyArray<number | string>) => all.map((each) => `${each}`)
    await session.query(
      `delete from ${table} where ${own} = $1::text::bigint and ${other} = any ($2::text[]::bigint[])`,
      [`${id}`, ids(removed)]
    )
    await session.query(
      `insert into ${table} (${own}, ${other}) select $1::text::bigint, unnest($2::text[]::bigint[])`,
      [`${id}`, ids(added)]
    )
  }

  /** Deletes an object and the objects that cascade: all rows of changes precede the first DELETE. */
  delete(type: string, id: number): Promise<void> {
    return this.around.atomic(async () => {
      const doomed = this.doomed(type, id)
      for (const each of doomed) {
        await this.log.add([
          this.change(each.type, each.id, "delete", this.around.objects.get(each.type, each.id), null)
        ])
        await this.release(each.type, each.id, doomed)
      }
      for (const each of doomed) await this.remove(each.type, each.id)
    })
  }

  /** The object, behind the objects that cascade from it. */
  private doomed(type: string, id: number): ReadonlyArray<{ readonly type: string; readonly id: number }> {
    const children = this.around.objects
      .referring(this.models, type, id)
      .filter(({ by }) => by === "cascade")
      .flatMap((child) => this.doomed(child.type, child.id))
    const unique = new Map([...children, { type, id }].map((each) => [`${each.type} ${each.id}`, each]))
    return [...unique.values()]
  }

  /** Clears references to an object that is deleted, and removes it from lists; only 4.x writes rows about that. */
  private async release(type: string, id: number, doomed: ReadonlyArray<{ type: string; id: number }>): Promise<void> {
    const { netbox, objects, session, now } = this.around
    const isLogged = isAtLeast(netbox.release, "4.0")
    for (const { by, field, ...referrer } of objects.referring(this.models, type, id)) {
      if (by === "cascade" || doomed.some((each) => each.type === referrer.type && each.id === referrer.id)) continue
      const before = objects.get(referrer.type, referrer.id)
      if (by === "list") {
        const rest = (before[field] as ReadonlyArray<number>).filter((each) => each !== id)
        await this.writeList(referrer.type, referrer.id, field, [id], [])
        const after = { ...before, [field]: rest }
        objects.set(referrer.type, referrer.id, after)
        if (isLogged) await this.log.amend(this.change(referrer.type, referrer.id, "update", before, after))
      } else {
        const after = { ...before, [field]: null, ...(isLogged && { last_updated: now() }) }
        await session.query(
          `update ${this.model(referrer.type).table} set ${field}_id = null, last_updated = $2::text::timestamptz where id = $1::text::bigint`,
          [`${referrer.id}`, after["last_updated"]]
        )
        objects.set(referrer.type, referrer.id, after)
        if (isLogged) await this.log.add([this.change(referrer.type, referrer.id, "update", before, after)])
      }
    }
  }

  private async remove(type: string, id: number): Promise<void> {
    const { session, objects, netbox } = this.around
    const { table, lists } = this.model(type)
    for (const { table: through, own } of Object.values(lists)) {
      await session.query(`delete from ${through} where ${own} = $1::text::bigint`, [`${id}`])
    }
    await session.query(
      "delete from extras_taggeditem where object_id = $1::text::bigint and content_type_id = $2::text::int",
      [`${id}`, `${netbox.types.get(type)!}`]
    )
    await session.query(`delete from ${table} where id = $1::text::bigint`, [`${id}`])
    objects.set(type, id, undefined)
  }

  private async insert(table: string, rows: ReadonlyArray<Snapshot>): Promise<ReadonlyArray<number>> {
    const names = Object.keys(rows[0]!)
    const made = await this.around.session.query<{ readonly id: number }>(
      `insert into ${table} (${names.join(", ")}) select ${names.map((name) => `r.${name}`).join(", ")}
         from jsonb_populate_recordset(null::${table}, $1::text::jsonb) r returning id::float8 as id`,
      [JSON.stringify(rows)]
    )
    return made.map(({ id }) => id)
  }

  private change(
    type: string,
    objectId: number,
    action: ChangeRow["action"],
    before: Snapshot | null,
    after: Snapshot | null
  ): Omit<ChangeRow, "id"> {
    const { user } = this.around
    return { type, objectId, action, before, after, user, requestId: this.requestId }
  }

  private model(type: string): Model {
    const model = this.models[type]
    if (model === undefined) throw new Error(`the fixture has no model ${type}`)
    return model
  }
}

interface Assignment {
  readonly type: string
  readonly id: number
  readonly field: string
  readonly wanted: ReadonlyArray<number | string>
  readonly before: Snapshot | undefined
}
