/** A bound on how many work on something at once, and on how long the others wait for their turn. */
import { Effect, Option, Semaphore } from "effect"

interface Bounds<E> {
  /** Most that work at once. */
  readonly most: number
  /** Most that wait meanwhile. */
  readonly waiting: number
  /** How long one of them waits, milliseconds. */
  readonly patienceMillis: number
  /** The answer to the others. */
  readonly busy: Effect.Effect<never, E>
}

export interface Lane<E> {
  /** Runs the effect when it is its turn; fails as busy where the line is too long or does not move. */
  readonly run: <A, E2, R>(effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
  /** Whether nobody works and nobody waits. */
  readonly isIdle: () => boolean
}

export const makeLane = <E>({ most, waiting, patienceMillis, busy }: Bounds<E>): Lane<E> => {
  const semaphore = Semaphore.makeUnsafe(most)
  let inside = 0
  let inLine = 0
  const counted = <A, E2, R>(effect: Effect.Effect<A, E2, R>) =>
    Effect.suspend(() => {
      inside += 1
      return Effect.ensuring(
        effect,
        Effect.sync(() => (inside -= 1))
      )
    })
  /** Waits for a permit, but not for longer than its patience. */
  const wait = <A, E2, R>(effect: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
    Effect.suspend(() => {
      if (inLine >= waiting) return busy
      inLine += 1
      let isWaiting = true
      const leaveLine = Effect.sync(() => {
        if (isWaiting) inLine -= 1
        isWaiting = false
      })
      const impatience = Effect.andThen(
        Effect.sleep(patienceMillis),
        Effect.suspend(() => (isWaiting ? busy : Effect.never))
      )
      return Effect.raceFirst(semaphore.withPermit(Effect.andThen(leaveLine, effect)), impatience).pipe(
        Effect.ensuring(leaveLine)
      )
    })
  return {
    run: (effect) =>
      counted(
        Effect.flatMap(semaphore.withPermitsIfAvailable(1)(effect), (done) =>
          Option.isSome(done) ? Effect.succeed(done.value) : wait(effect)
        )
      ),
    isIdle: () => inside === 0
  }
}
