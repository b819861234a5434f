/** Which faults are injected when: all of it follows from the seed. */
import type { Fault } from "./Faults.ts"
import { Random } from "./Random.ts"
import { type Timeline, pause } from "./Timeline.ts"

/** Least and longest time between two faults, milliseconds. */
const gapMillis = [500, 3000] as const

export interface Planned<Scene> {
  /** Milliseconds after the start. */
  readonly at: number
  readonly fault: Fault<Scene>
  /** Random choices of the fault itself. */
  readonly random: Random
}

/** `only`: those with this in their name. `once`: this one takes the place of one of them. */
export const planOf = <Scene>(
  seed: number,
  faults: ReadonlyArray<Fault<Scene>>,
  {
    seconds,
    only,
    once
  }: { readonly seconds: number; readonly only: string | undefined; readonly once: Fault<Scene> | undefined }
): ReadonlyArray<Planned<Scene>> => {
  const random = new Random(`faults ${seed}`)
  const table = faults.filter(({ name }) => only === undefined || name.includes(only))
  if (table.length === 0)
    throw new Error(`no fault is called ${only}; there are: ${faults.map(({ name }) => name).join(", ")}`)
  const planned: Array<Planned<Scene>> = []
  for (let at = random.between(...gapMillis); at < seconds * 1000; at += random.between(...gapMillis)) {
    planned.push({ at, fault: random.weighted(table), random: random.fork(`${at}`) })
  }
  const place = once === undefined ? -1 : random.between(0, planned.length - 1)
  return planned.map((one, at) => (at === place ? { ...one, fault: once! } : one))
}

/** Injects all faults; returns when the last one is over. A long fault does not delay the next. */
export const carryOut = async <Scene>(
  plan: ReadonlyArray<Planned<Scene>>,
  timeline: Timeline,
  scene: Scene
): Promise<void> => {
  const began = performance.now()
  const acts = plan.map(async ({ at, fault, random }, number) => {
    await pause(at - (performance.now() - began))
    const note = (what: string) => timeline.note(`fault ${number + 1}, ${fault.name}: ${what}`)
    note("begins")
    await fault.act(scene, random, note).catch((error: Error) => note(`could not be done: ${error.message}`))
  })
  await Promise.all(acts)
}
