/** Objects of a NetBox as its process has them in memory: those that are committed, and those of an open request. Pure. */
import type { Model, Snapshot } from "./NetBoxModels.ts"

export interface ObjectState {
  readonly type: string
  readonly id: number
  readonly snapshot: Snapshot
}

const keyOf = (type: string, id: number): string => `${type} ${id}`

export class NetBoxObjects {
  private readonly states = new Map<string, ObjectState | undefined>()
  private readonly below: NetBoxObjects | undefined

  /** `below`: the objects that are committed. */
  constructor(below?: NetBoxObjects) {
    this.below = below
  }

  get(type: string, id: number): Snapshot {
    const key = keyOf(type, id)
    const state = this.states.has(key) ? this.states.get(key) : this.below?.states.get(key)
    if (state === undefined) throw new Error(`there is no ${key}`)
    return state.snapshot
  }

  set(type: string, id: number, snapshot: Snapshot | undefined): void {
    this.states.set(keyOf(type, id), snapshot === undefined ? undefined : { type, id, snapshot })
  }

  /** Makes the objects of this request those that are committed. */
  commit(): void {
    for (const [key, state] of this.states) {
      if (state === undefined) this.below?.states.delete(key)
      else this.below?.states.set(key, state)
    }
    this.states.clear()
  }

  /** A copy of the objects that are committed. */
  copy(): NetBoxObjects {
    const copy = new NetBoxObjects()
    for (const [key, state] of this.states) copy.states.set(key, state)
    return copy
  }

  all(type: string): ReadonlyArray<ObjectState> {
    const merged = new Map([...(this.below?.states ?? []), ...this.states])
    return [...merged.values()].filter((state) => state?.type === type).map((state) => state!)
  }

  /** Objects that name this one by a reference or a list, each with the field. */
  referring(models: Readonly<Record<string, Model>>, type: string, id: number): ReadonlyArray<Referrer> {
    return Object.entries(models).flatMap(([referrer, { references, lists }]) => [
      ...Object.entries(references)
        .filter(([, { to }]) => to === type)
        .flatMap(([field, { onDelete }]) =>
          this.all(referrer)
            .filter(({ snapshot }) => snapshot[field] === id)
            .map((state) => ({ ...state, field, by: onDelete }))
        ),
      ...Object.entries(lists)
        .filter(([, { to }]) => to === type)
        .flatMap(([field]) =>
          this.all(referrer)
            .filter(({ snapshot }) => (snapshot[field] as ReadonlyArray<number>).includes(id))
            .map((state) => ({ ...state, field, by: "list" as const }))
        )
    ])
  }
}

export interface Referrer extends ObjectState {
  readonly field: string
  /** `cascade`: it is deleted too. `null`: the reference is cleared. `list`: the id leaves the list. */
  readonly by: "cascade" | "null" | "list"
}
