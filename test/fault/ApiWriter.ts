/**
 * A writer that uses the API: it creates, changes and deletes objects, one or several per request, at any service that
 * answers.
 *
 * A request without an answer, or with one that says that the service is unavailable, may have been committed. Its
 * objects are never touched again, and in the end the table tells what happened.
 */
import { request } from "../support/Client.ts"
import { type Change, type Committed, type Kind, region, site, stamp, tag } from "./Committed.ts"
import type { Random } from "./Random.ts"
import { token } from "./Template.ts"
import { pause } from "./Timeline.ts"
import type { World } from "./World.ts"

interface Owned {
  readonly kind: Kind
  readonly key: string
  readonly id: number
  readonly version: number
}

interface Draft {
  readonly method: "POST" | "PATCH" | "DELETE"
  readonly kind: Kind
  readonly items: ReadonlyArray<{ readonly change: Change; readonly body: object; readonly id?: number }>
}

/** Time limit of a request, and longest pause between two. */
const answerMillis = 4000
const breathMillis = 60

const objectsMax = 100

export class ApiWriter {
  readonly name: string
  /** Unexpected answers: neither success nor temporary unavailability. */
  readonly refusals: Array<string> = []
  private readonly world: World
  private readonly random: Random
  private readonly committed: Committed
  private readonly objects = new Map<string, Owned>()
  private requests = 0
  private keys = 0

  constructor(name: string, world: World, random: Random, committed: Committed) {
    this.name = name
    this.world = world
    this.random = random
    this.committed = committed
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.turn()
      await pause(this.random.between(0, breathMillis))
    }
  }

  private async turn(): Promise<void> {
    this.requests += 1
    const label = `${this.name}.${this.requests}`
    const draft = this.compose(label)
    const { url } = this.random.pick(this.world.services)
    const { body, path } = requestOf(draft)
    const changes = draft.items.map(({ change }) => change)
    const reply = await Promise.race([
      request<unknown>(url, token, draft.method, path, body).catch(() => undefined),
      pause(answerMillis).then(() => undefined)
    ])
    const messages = changes.length + 1
    if (reply !== undefined && reply.status < 300) {
      const requestId = reply.headers.get("x-request-id") ?? ""
      this.committed.add({ label, changes, messages, requestId, fate: "committed" })
      return this.apply(draft, [reply.json].flat() as ReadonlyArray<{ readonly id: number } | undefined>)
    }
    if (reply !== undefined && reply.status < 500) {
      this.refusals.push(`${draft.method} ${path}: ${reply.status} ${reply.text}`)
    }
    this.committed.add({ label, changes, messages, fate: "doubted" })
    for (const { key } of changes) this.objects.delete(key)
  }

  private apply({ items, kind }: Draft, shown: ReadonlyArray<{ readonly id: number } | undefined>): void {
    for (const [at, { change, id }] of items.entries()) {
      const { key, to } = change
      if (to === undefined) this.objects.delete(key)
      else this.objects.set(key, { kind, key, id: id ?? shown[at]!.id, version: to })
    }
  }

  private compose(label: string): Draft {
    const kind = this.random.pick([site, region, tag])
    const count = this.random.chance(0.6) ? 1 : this.random.between(2, 8)
    const own = [...this.objects.values()].filter((object) => object.kind === kind)
    const chosen = new Set(Array.from({ length: Math.min(count, own.length) }, () => this.random.pick(own)))
    const crowd = this.objects.size / objectsMax
    if (chosen.size === 0 || this.random.next() > 0.3 + crowd) {
      const items = Array.from({ length: count }, () => {
        this.keys += 1
        const key = `${this.name}-${this.keys}`
        const body = { name: key, slug: key, description: stamp(1, label) }
        return { change: { kind, key, from: undefined, to: 1 }, body }
      })
      return { method: "POST", kind, items }
    }
    const isEnd = this.random.chance(0.2 + 0.5 * crowd)
    const items = [...chosen].map(({ key, id, version }) => ({
      id,
      change: { kind, key, from: version, to: isEnd ? undefined : version + 1 },
      body: isEnd ? { id } : { id, description: stamp(version + 1, label) }
    }))
    return { method: isEnd ? "DELETE" : "PATCH", kind, items }
  }
}

/** One object has a URL of its own; several are sent as a list. */
const requestOf = ({ method, kind, items }: Draft): { readonly path: string; readonly body: unknown } => {
  const [first, ...others] = items
  if (others.length > 0) return { path: kind.path, body: items.map(({ body }) => body) }
  if (method === "POST") return { path: kind.path, body: first!.body }
  return { path: `${kind.path}${first!.id}/`, body: method === "DELETE" ? undefined : first!.body }
}
