/** The rows that one request of a NetBox has in the change table. */
import type { ChangeRow } from "./Expectation.ts"
import type { NetBoxDatabase } from "./NetBoxDatabase.ts"
import { type Model, type Snapshot, isAtLeast, modelsOf } from "./NetBoxModels.ts"
import type { Session } from "./Session.ts"

type NewRow = Omit<ChangeRow, "id">

interface Surroundings {
  readonly netbox: NetBoxDatabase
  readonly session: Session
  readonly user: string
  readonly requestId: string
  readonly now: () => string
  readonly onWritten: (rows: ReadonlyArray<ChangeRow>, amended: ReadonlyArray<ChangeRow>) => void
}

const representationCharsMax = 200

export class ChangeLog {
  rows: ReadonlyArray<ChangeRow> = []
  /** Times of the rows by their ids. */
  private readonly times = new Map<number, string>()
  private readonly around: Surroundings
  private readonly models: Readonly<Record<string, Model>>

  constructor(around: Surroundings) {
    this.around = around
    this.models = modelsOf(around.netbox.release)
  }

  /** Inserts rows, in this order. */
  async add(rows: ReadonlyArray<NewRow>): Promise<void> {
    const { session, netbox, now, onWritten } = this.around
    const times = rows.map(() => now())
    const values = rows.map((row, at) => this.columnsOf(row, times[at]!))
    const names = Object.keys(values[0]!)
    const made = await session.query<{ readonly id: number }>(
      `insert into ${netbox.changeTable} (${names.join(", ")}) select ${names.map((name) => `r.${name}`).join(", ")}
         from jsonb_populate_recordset(null::${netbox.changeTable}, $1::text::jsonb) r returning id::float8 as id`,
      [JSON.stringify(values)]
    )
    const added = rows.map((row, at) => ({ ...row, id: made[at]!.id }))
    for (const [at, { id }] of added.entries()) this.times.set(id, times[at]!)
    this.rows = [...this.rows, ...added]
    onWritten(added, [])
  }

  /**
   * Follows an assignment of a list. Rows of this object in this request get its new state: all of them before 4.0, by
   * the one column; later the newest, which is saved whole. If it has none, the assignment is a change by itself.
   */
  async amend(row: NewRow): Promise<void> {
    const { session, netbox, onWritten } = this.around
    const own = this.rows.filter(({ type, objectId }) => type === row.type && objectId === row.objectId)
    const newest = own.at(-1)
    if (newest === undefined) return this.add([row])
    const isWhole = isAtLeast(netbox.release, "4.0")
    const amended = (isWhole ? [newest] : own).map((each) => ({ ...each, after: row.after }))
    if (isWhole) {
      const values = this.columnsOf(amended[0]!, this.times.get(newest.id)!)
      const names = Object.keys(values)
      await session.query(
        `update ${netbox.changeTable} set (${names.join(", ")}) = (select ${names.map((name) => `r.${name}`).join(", ")}
           from jsonb_populate_record(null::${netbox.changeTable}, $1::text::jsonb) r) where id = $2::text::bigint`,
        [JSON.stringify(values), `${newest.id}`]
      )
    } else {
      await session.query(
        `update ${netbox.changeTable} set postchange_data = $1::text::jsonb
          where changed_object_type_id = $2::text::int and changed_object_id = $3::text::bigint and request_id = $4::text::uuid`,
        [JSON.stringify(row.after), `${netbox.types.get(row.type)!}`, `${row.objectId}`, row.requestId]
      )
    }
    const byId = new Map(amended.map((each) => [each.id, each]))
    this.rows = this.rows.map((each) => byId.get(each.id) ?? each)
    onWritten([], amended)
  }

  private columnsOf({ type, objectId, action, before, after }: NewRow, time: string): Snapshot {
    const { netbox, user, requestId } = this.around
    const { parent, references } = this.models[type]!
    const snapshot = (after ?? before)!
    const related = parent === undefined ? undefined : references[parent]?.to
    return {
      time,
      user_id: netbox.users.get(user) ?? null,
      user_name: user,
      request_id: requestId,
      action,
      changed_object_type_id: netbox.types.get(type)!,
      changed_object_id: objectId,
      related_object_type_id: related === undefined ? null : netbox.types.get(related)!,
      related_object_id: related === undefined ? null : snapshot[parent!],
      object_repr: String(snapshot["name"]).slice(0, representationCharsMax),
      ...(isAtLeast(netbox.release, "4.4") && { message: "" }),
      prechange_data: before,
      postchange_data: after
    }
  }
}
