/** A concurrency limit with a bounded queue: what cannot run at once waits for a while, or fails as busy. */
import { Effect, Option, Semaphore } from "effect"

interface Bounds<E> {
  /** Most effects that run at once. */
  readonly most: number
  /** Most effects that wait. */
  readonly waiting: number
  /** Longest wait, milliseconds. */
  readonly patienceMillis: number
  /** How the others fail. */
  readonly busy: Effect.Effect<never, E>
}

export interface Lane<E> {
  /** Runs the effect, after a wait if need be; fails as busy if too many wait or the wait is too long. */
  readonly run: <A, E2, R>(effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
  /** Whether nothing runs and nothing waits. */
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
  /** Waits for a permit for at most `patienceMillis`. */
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
