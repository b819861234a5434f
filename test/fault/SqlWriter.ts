/** A writer in plain SQL: transactions of every shape, as fast as they go, with occasional rests. */
import { type Committed, region, site, tag } from "./Committed.ts"
import { Draft, type Known } from "./Draft.ts"
import { Ledger } from "./Ledger.ts"
import type { Random } from "./Random.ts"
import { pause } from "./Timeline.ts"

interface Shape {
  readonly weight: number
  readonly compose: (writer: SqlWriter, draft: Draft) => void
  readonly rolledBack?: true
}

/** Objects of their own that a writer keeps, at most, before it deletes more than it creates. */
const objectsMax = 200

/** Longest pauses of a writer, milliseconds: between two transactions, and now and then. */
const breathMillis = 25
const restMillis = 1500

/** Most rows of a usual bulk, and of one that no window of 4096 messages holds. */
const bulkRows = 400
const manyRows = 4500

const shapes: ReadonlyArray<Shape> = [
  { weight: 12, compose: (writer, draft) => writer.changeSome(draft) },
  { weight: 4, compose: (writer, draft) => writer.changeOneOften(draft) },
  {
    weight: 4,
    compose: (writer, draft) => {
      writer.changeSome(draft)
      draft.savepoint(writer.random.chance(0.4), () => writer.changeSome(draft))
      writer.changeSome(draft)
    }
  },
  { weight: 3, rolledBack: true, compose: (writer, draft) => writer.changeSome(draft) },
  { weight: 0.4, compose: (writer, draft) => writer.createMany(draft, writer.random.between(20, bulkRows)) },
  { weight: 0.2, rolledBack: true, compose: (writer, draft) => writer.createMany(draft, bulkRows) },
  { weight: 0.4, compose: (writer, draft) => writer.changeMany(draft) },
  {
    weight: 0.02,
    compose: (writer, draft) => {
      writer.createMany(draft, manyRows)
      writer.changeMany(draft)
    }
  }
]

export class SqlWriter {
  readonly name: string
  readonly random: Random
  readonly ledger: Ledger
  private readonly committed: Committed
  private readonly rowsMax: number
  private objects: ReadonlyMap<string, Known> = new Map()
  private transactions = 0
  private keys = 0

  /** No statement of it changes more than so many rows. */
  constructor(name: string, databaseUrl: string, random: Random, committed: Committed, rowsMax: number) {
    this.name = name
    this.rowsMax = rowsMax
    this.random = random
    this.ledger = new Ledger(databaseUrl)
    this.committed = committed
  }

  /** Writes until it is told to stop, and closes its connections. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.transaction(this.random.weighted(shapes))
      await pause(this.random.chance(0.01) ? this.random.between(0, restMillis) : this.random.between(0, breathMillis))
    }
    await this.ledger.close()
  }

  changeSome(draft: Draft): void {
    const count = this.random.between(1, 5)
    for (let n = 0; n < count; n++) this.changeAny(draft)
  }

  /** Changes one object several times, perhaps from its creation or to its end. */
  changeOneOften(draft: Draft): void {
    const old = this.random.chance(0.5) ? this.anyOf(draft, false) : undefined
    const key = old?.key ?? this.newKey()
    if (old === undefined) draft.create(this.random.pick([site, region, tag]), key)
    const count = this.random.between(1, 4)
    for (let n = 0; n < count; n++) draft.update(draft.objects.get(key)!)
    if (this.random.chance(0.3)) draft.remove(draft.objects.get(key)!)
  }

  createMany(draft: Draft, count: number): void {
    draft.create(this.random.chance(0.3) ? site : tag, this.newKey(), Math.min(count, this.rowsMax))
  }

  changeMany(draft: Draft): void {
    const last = draft.changes.length === 0 ? undefined : [...draft.objects.values()].at(-1)
    if (last !== undefined) return draft.update(last)
    const many = this.anyOf(draft, true)
    if (many === undefined) this.createMany(draft, 100)
    else if (this.random.chance(0.6)) draft.update(many)
    else draft.remove(many)
  }

  private changeAny(draft: Draft): void {
    const old = this.anyOf(draft, false)
    const crowd = draft.objects.size / objectsMax
    if (old === undefined || this.random.next() > 0.3 + crowd) {
      return draft.create(this.random.pick([site, site, region, tag]), this.newKey())
    }
    if (this.random.chance(0.25 + 0.5 * crowd)) draft.remove(old)
    else draft.update(old)
  }

  private anyOf(draft: Draft, many: boolean): Known | undefined {
    const found = [...draft.objects.values()].filter(({ count }) => (count !== undefined) === many)
    return found.length === 0 ? undefined : this.random.pick(found)
  }

  private newKey(): string {
    this.keys += 1
    return `${this.name}-${this.keys}`
  }

  private async transaction({ compose, rolledBack }: Shape): Promise<void> {
    this.transactions += 1
    const label = `${this.name}.${this.transactions}`
    const draft = new Draft(label, this.objects, this.random)
    const requestId = this.random.chance(0.7) ? uuid(this.random) : undefined
    const signed = requestId === undefined ? [] : [`select rackwire_context('${this.name}', '${requestId}')::text`]
    compose(this, draft)
    const statements = [...signed, ...draft.statements]
    const { changes, messages } = draft
    if (rolledBack === true) {
      await this.ledger.refuse(statements)
      return this.committed.add({ label, changes, messages, fate: "aborted" })
    }
    const fate = await this.ledger.attempt(label, statements)
    this.committed.add({ label, changes, messages, requestId, fate })
    if (fate === "committed") this.objects = draft.objects
  }
}

export const uuid = (random: Random): string => {
  const hex = Array.from({ length: 32 }, () => random.between(0, 15).toString(16)).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
