/** Which webhooks an event goes to: looked up by object type and kind, then decided by each one's condition. */
import type { Row } from "../inventory/Field.ts"
import { type Decision, compile, isEmpty, parse } from "./Condition.ts"

/** What of an event decides. */
export interface Subject {
  /** Id of the object type. */
  readonly type: string
  readonly kind: "created" | "updated" | "deleted"
  readonly data: unknown
}

interface Entry {
  readonly webhook: number
  /** Undefined where the webhook has no condition. */
  readonly decide: Decision | undefined
}

/** The flag of a webhook that asks for each kind of event. */
const flags = { created: "type_create", updated: "type_update", deleted: "type_delete" } as const

export class WebhookIndex {
  /** Clauses that could not be evaluated since the start. */
  undecided = 0
  private readonly entries = new Map<string, Array<Entry>>()
  private readonly keys = new Map<number, ReadonlyArray<string>>()

  /** Webhooks that take anything. */
  get size(): number {
    return this.keys.size
  }

  /** Takes the webhook in as it is now, or out when it is gone or disabled. */
  set(webhook: number, row: Row | undefined): void {
    for (const key of this.keys.get(webhook) ?? []) {
      this.entries.set(
        key,
        this.entries.get(key)!.filter((entry) => entry.webhook !== webhook)
      )
    }
    this.keys.delete(webhook)
    if (row === undefined || row["enabled"] !== true) return
    const entry: Entry = { webhook, decide: decisionOf(row["conditions"]) }
    const kinds = Object.entries(flags).filter(([, flag]) => row[flag] === true)
    // Plain SQL may name a type twice.
    const types = new Set(row["content_types"] as ReadonlyArray<string>)
    const keys = [...types].flatMap((type) => kinds.map(([kind]) => `${type} ${kind}`))
    this.keys.set(webhook, keys)
    for (const key of keys) {
      const entries = [...(this.entries.get(key) ?? []), entry]
      this.entries.set(
        key,
        entries.sort((a, b) => a.webhook - b.webhook)
      )
    }
  }

  clear(): void {
    this.entries.clear()
    this.keys.clear()
  }

  /** Ids of the webhooks that asked for the event, in rising order. */
  match(subject: Subject): ReadonlyArray<number> {
    const found: Array<number> = []
    for (const { webhook, decide } of this.entries.get(`${subject.type} ${subject.kind}`) ?? []) {
      const holds = decide === undefined || decide(subject.data)
      if (holds === undefined) this.undecided += 1
      else if (holds) found.push(webhook)
    }
    return found
  }
}

/** A document that is not understood never holds; it can only have come past our checks by plain SQL. */
const decisionOf = (document: unknown): Decision | undefined => {
  if (isEmpty(document)) return undefined
  try {
    return compile(parse(document))
  } catch {
    return () => undefined
  }
}
