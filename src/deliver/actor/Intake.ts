/**
 * Whether the actors of this process read new entries. They do not while all sending is paused, or while the process
 * drains. Attempts in flight end, and are logged.
 */
import { Effect } from "effect"

/** An actor, as far as its reading is stopped and resumed. */
interface Reading {
  readonly handBack: Effect.Effect<void>
  readonly dueIn: (millis: number) => void
  readonly wake: () => void
}

export class Intake {
  /** Operators have paused all sending. */
  isPaused = false
  /** This process drains: it leaves new work to others. */
  isQuiet = false

  get isStopped(): boolean {
    return this.isPaused || this.isQuiet
  }
}

/** Stops or resumes the reading of the actors. */
export const hold = Effect.fnUntraced(function* (
  intake: Intake,
  actors: ReadonlyArray<Reading>,
  { isPaused, isQuiet }: Pick<Intake, "isPaused" | "isQuiet">
) {
  const wasStopped = intake.isStopped
  const becomesQuiet = isQuiet && !intake.isQuiet
  Object.assign(intake, { isPaused, isQuiet })
  for (const actor of actors) {
    if (becomesQuiet) yield* actor.handBack
    if (!wasStopped || intake.isStopped) continue
    // Deliveries that became due meanwhile are read too.
    actor.dueIn(0)
    actor.wake()
  }
})
