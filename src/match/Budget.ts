/**
 * The budget of evaluating conditions, in units of 20 to 40 nanoseconds: one character times one instruction of a
 * pattern, one item of a list, one comparison. An evaluation that would exceed it ends undecided.
 *
 * The cost depends only on the condition and the event, so the same event is decided the same way again.
 */

/** Highest cost of evaluating one condition: some 15 milliseconds. */
const evaluationMax = 500_000

/** The budget that every condition has for every event, whatever others cost: 50 instructions over 200 characters. */
export const guaranteed = 10_000

/**
 * The budget that costlier conditions share: some 15 milliseconds for one event, some 3 seconds for one window of
 * events.
 */
const sharedMax = { event: 500_000, window: 100_000_000 }

class TooMuchWork extends Error {}

/**
 * The work that the current evaluation has left; unlimited outside of one. A variable of the module, because each step of an
 * evaluation pays: an evaluation is synchronous, and `bounded` sets it anew.
 */
let left = Number.POSITIVE_INFINITY

/** The budget of the last evaluation, and what was left of it. */
let last = { budget: 0, left: 0 }

export const pay = (work: number): void => {
  left -= work
  if (left < 0) throw new TooMuchWork()
}

/** Runs an evaluation; undefined if it would exceed its budget. */
export const bounded = <A>(evaluate: () => A, budget: number = evaluationMax): A | undefined => {
  left = budget
  try {
    return affordable(evaluate)
  } finally {
    last = { budget, left }
    left = Number.POSITIVE_INFINITY
  }
}

/** Whether the current or last evaluation exceeded its budget. */
export const isSpent = (): boolean => (Number.isFinite(left) ? left : last.left) < 0

/** Runs a part of an evaluation; undefined if it would exceed the budget. */
export const affordable = <A>(evaluate: () => A): A | undefined => {
  try {
    return evaluate()
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined
    throw error
  }
}

/** Runs without paying, over values that the current evaluation has already paid for. */
export const unpaid = <A>(look: () => A): A => {
  const before = left
  left = Number.POSITIVE_INFINITY
  try {
    return look()
  } finally {
    left = before
  }
}

/**
 * The budget that the costly conditions of a window share. Those of one event get equal shares, so that one webhook's
 * condition does not use up the budget of another's.
 */
export class SharedBudget {
  private ofWindow = sharedMax.window

  /** The budget of each of `count` costly conditions of an event; undefined if that is no more than the guaranteed one. */
  share(count: number): number | undefined {
    const share = Math.floor(Math.min(evaluationMax, Math.min(sharedMax.event, this.ofWindow) / count))
    return share > guaranteed ? share : undefined
  }

  /** Subtracts the cost of the last evaluation. */
  take(): void {
    this.ofWindow -= last.budget - Math.max(0, last.left)
  }
}
