/**
 * What evaluating conditions may cost, in units of 20 to 40 nanoseconds: a character for each instruction of a pattern,
 * an item of a list, a value that is compared. An evaluation that would cost more ends undecided.
 *
 * The unit depends on nothing but the condition and the event, so that the same event is decided the same way again.
 */

/** Most that the evaluation of one condition may cost: some 15 milliseconds. */
const evaluationMax = 500_000

/** What every condition may cost for every event, whatever others cost: 50 instructions over 200 characters. */
export const guaranteed = 10_000

/**
 * What the conditions that cost more than that may cost together: some 15 milliseconds for one event, some 3 seconds for
 * one window of events.
 */
const sharedMax = { event: 500_000, window: 100_000_000 }

class TooMuchWork extends Error {}

/** Outside of an evaluation nothing is counted. */
let left = Number.POSITIVE_INFINITY

let last = { budget: 0, left: 0 }

export const pay = (work: number): void => {
  left -= work
  if (left < 0) throw new TooMuchWork()
}

/** Runs an evaluation; undefined where it would cost more than its budget. */
export const bounded = <A>(evaluate: () => A, budget: number = evaluationMax): A | undefined => {
  left = budget
  try {
    return affordable(evaluate)
  } finally {
    last = { budget, left }
    left = Number.POSITIVE_INFINITY
  }
}

/** Whether the evaluation that runs, or ran last, would cost too much. */
export const isSpent = (): boolean => (Number.isFinite(left) ? left : last.left) < 0

/** Runs a part of an evaluation; undefined where it would cost too much. */
export const affordable = <A>(evaluate: () => A): A | undefined => {
  try {
    return evaluate()
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined
    throw error
  }
}

/** Looks at what the evaluation that runs has paid for already. */
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
 * What is shared out among the costly conditions of a window. Those of one event get equal shares, so that the costly
 * condition of one webhook leaves something for that of another.
 */
export class SharedBudget {
  private ofWindow = sharedMax.window

  /** The budget of each of so many costly conditions of an event; undefined where nothing is left to share. */
  share(count: number): number | undefined {
    const share = Math.floor(Math.min(evaluationMax, Math.min(sharedMax.event, this.ofWindow) / count))
    return share > guaranteed ? share : undefined
  }

  /** Takes what the evaluation that ran last has cost. */
  take(): void {
    this.ofWindow -= last.budget - Math.max(0, last.left)
  }
}
