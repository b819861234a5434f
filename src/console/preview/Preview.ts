/** Changes that a write would make and webhooks that would fire, found in a transaction that is rolled back. */
import { Clock, Effect } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import { contextOf } from "../../event/Event.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { type Row, type View, isDictionary } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Json, representation, snapshot } from "../../inventory/derive/represent/Representation.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { wouldFire } from "../../match/WouldFire.ts"
import { dependentsOf } from "../../inventory/read/Dependents.ts"
import { fieldTitle } from "../value/Title.ts"
import { trial } from "./Trial.ts"

interface FieldChange {
  readonly title: string
  readonly before: unknown
  readonly after: unknown
}

export interface Preview {
  readonly kind: "created" | "updated" | "deleted"
  readonly changed: ReadonlyArray<FieldChange>
  readonly fires: ReadonlyArray<WebhookName>
  /** Count of webhooks that would fire and that the reader may not view. */
  readonly hidden: number
  /** Webhooks that may fire for what changes with the object. */
  readonly mayFire: ReadonlyArray<WebhookName>
  readonly isPartial: boolean
}

interface WebhookName {
  readonly id: number
  readonly name: string
  readonly isPaused: boolean
}

const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

/** `write` returns the row as it would be; undefined if it would be gone. Nothing is stored. */
export const previewOf = <E, R>(
  type: ObjectType,
  request: Request,
  before: Row | undefined,
  write: Effect.Effect<Row | undefined, E, R>
) =>
  trial(
    Effect.gen(function* () {
      const following = before === undefined ? [] : yield* followingOf(type, before.id)
      const old = before === undefined ? undefined : yield* stateOf(type, before, request.base)
      const after = yield* write
      const fresh = after === undefined ? undefined : yield* stateOf(type, after, request.base)
      const kind = old === undefined ? "created" : fresh === undefined ? "deleted" : "updated"
      const subject = {
        type: type.id,
        kind,
        data: (fresh ?? old)!.data,
        snapshots: { prechange: old?.snapshot ?? null, postchange: fresh?.snapshot ?? null },
        context: contextOf({ kind, objectType: type.id, timestamp: yield* now, ...request.author })
      } as const
      const change = { subject, objectId: (after ?? before)!.id }
      const fired = yield* wouldFire([change], kind === "deleted" ? following : [])
      const fires = yield* named(fired.fires, fired.paused)
      return {
        kind,
        changed: changesOf(type, old?.shown, fresh?.shown),
        fires,
        hidden: fired.fires.size - fires.length,
        mayFire: yield* named(fired.mayFire, fired.paused),
        isPartial: fired.isPartial
      } satisfies Preview as Preview
    })
  )

/** An object as its event carries it, and as the reader may see it. */
const stateOf = Effect.fnUntraced(function* (type: ObjectType, row: Row, base: string) {
  const whole: View = {
    ...(yield* Effect.provideService(viewFor(type, [row], base), Clearance, Clearance.all)),
    // Events carry no counts.
    counted: () => undefined
  }
  const view = yield* viewFor(type, [row], base)
  return {
    data: representation(type, row, whole),
    snapshot: snapshot(type, row, whole),
    shown: representation(type, row, { ...view, counted: () => undefined, reveal: undefined })
  }
})

/** The kinds of changes that a deletion brings to other objects. */
const followingOf = Effect.fnUntraced(function* (type: ObjectType, id: number) {
  const dependents = yield* Effect.provideService(dependentsOf(type, [id]), Clearance, Clearance.all)
  return dependents.flatMap(({ type: { id }, effect }) =>
    effect === "forbid" ? [] : [{ type: id, kind: effect === "delete" ? ("deleted" as const) : ("updated" as const) }]
  )
})

const webhookType = objectType("extras.webhook")

/** The webhooks among these that the reader may view. */
const named = Effect.fnUntraced(function* (ids: ReadonlySet<number>, paused: ReadonlySet<number>) {
  const rows = yield* byIds(webhookType, ids)
  return rows.map(({ id, name }): WebhookName => ({ id, name: String(name), isPaused: paused.has(id) }))
})

/** Values that every write sets. */
const unasked: ReadonlySet<string> = new Set(["created", "last_updated"])

const changesOf = (type: ObjectType, before: Json = {}, after: Json = {}): ReadonlyArray<FieldChange> =>
  Object.keys(type.fields).flatMap((name) => {
    if (unasked.has(name)) return []
    const [old, fresh] = [before[name], after[name]]
    if (name !== "custom_fields") return changed(fieldTitle(name), old, fresh)
    const [olds, freshes] = [old, fresh].map((each) => (isDictionary(each) ? each : {}))
    const names = new Set([...Object.keys(olds!), ...Object.keys(freshes!)])
    return [...names].flatMap((custom) => changed(fieldTitle(custom), olds![custom], freshes![custom]))
  })

const changed = (title: string, before: unknown, after: unknown): ReadonlyArray<FieldChange> =>
  JSON.stringify(before ?? null) === JSON.stringify(after ?? null) || (isEmpty(before) && isEmpty(after))
    ? []
    : [{ title, before, after }]

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
