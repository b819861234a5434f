/** A transaction that is being written: its statements, and what it changes if it is committed. */
import { type Change, type Kind, stamp } from "./Committed.ts"
import { fixed } from "./Template.ts"
import type { Random } from "./Random.ts"

/** An object that a writer has to itself, or many that it always changes together. */
export interface Known {
  readonly kind: Kind
  /** Its key, or what the keys of the many begin with: `<key>-<n>`. */
  readonly key: string
  readonly version: number
  /** How many; undefined for one. */
  readonly count?: number | undefined
}

export class Draft {
  readonly label: string
  readonly statements: Array<string> = []
  changes: Array<Change> = []
  /** Raw messages in the WAL. */
  messages = 1
  /** The writer's objects as they are if this is committed. */
  objects: Map<string, Known>
  private readonly random: Random

  constructor(label: string, objects: ReadonlyMap<string, Known>, random: Random) {
    this.label = label
    this.objects = new Map(objects)
    this.random = random
  }

  create(kind: Kind, key: string, count?: number): void {
    const description = stamp(1, this.label)
    const values: Record<string, string> = {
      name: literal(key),
      slug: literal(key),
      description: literal(description),
      ...(kind.id === "dcim.site" && this.references())
    }
    const columns = Object.keys(values).join(", ")
    if (count === undefined) {
      this.statements.push(`insert into ${kind.table} (${columns}) values (${Object.values(values).join(", ")})`)
    } else {
      const numbered = { ...values, name: `${literal(`${key}-`)} || n`, slug: `${literal(`${key}-`)} || n` }
      this.statements.push(
        `insert into ${kind.table} (${columns}) select ${Object.values(numbered).join(", ")} from generate_series(1, ${count}) n`
      )
    }
    this.set({ kind, key, version: 0, count }, 1)
  }

  update(known: Known): void {
    const version = known.version + 1
    const more = known.kind.id === "dcim.site" && this.random.chance(0.3) ? Object.entries(this.references()) : []
    const sets = [["description", literal(stamp(version, this.label))] as const, ...more]
    const list = sets.map(([name, value]) => `${name} = ${value}`).join(", ")
    this.statements.push(`update ${known.kind.table} set ${list} where ${whereOf(known)}`)
    this.set(known, version)
  }

  remove(known: Known): void {
    this.statements.push(`delete from ${known.kind.table} where ${whereOf(known)}`)
    this.set(known, undefined)
  }

  /** Runs `inner` behind a savepoint that is kept or rolled back. */
  savepoint(keep: boolean, inner: () => void): void {
    const before = { changes: this.changes.length, objects: new Map(this.objects), messages: this.messages }
    this.statements.push("savepoint s")
    inner()
    this.statements.push(keep ? "release savepoint s" : "rollback to savepoint s")
    if (keep) return
    this.changes = this.changes.slice(0, before.changes)
    this.objects = before.objects
    this.messages = before.messages
  }

  private set(known: Known, to: number | undefined): void {
    const { kind, key, count } = known
    const from = known.version === 0 ? undefined : known.version
    const keys = count === undefined ? [key] : Array.from({ length: count }, (_, n) => `${key}-${n + 1}`)
    for (const each of keys) this.changes.push({ kind, key: each, from, to })
    this.messages += keys.length
    if (to === undefined) this.objects.delete(key)
    else this.objects.set(key, { ...known, version: to })
  }

  /** References of a site: to rows that nobody changes. */
  private references(): Record<string, string> {
    const region = this.random.chance(0.3) ? "null" : `${1_000_000 + this.random.between(1, fixed.regions)}`
    const tags = Array.from({ length: this.random.between(0, 2) }, () => 1_000_000 + this.random.between(1, fixed.tags))
    return { region_id: region, tags: `'{${tags.join(",")}}'` }
  }
}

const literal = (text: string): string => `'${text}'`

const whereOf = ({ kind, key, count }: Known): string =>
  count === undefined ? `${kind.key} = ${literal(key)}` : `${kind.key} like ${literal(`${key}-%`)}`
