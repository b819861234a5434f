/**
 * The mode of an actor.
 *
 * - `sending`: it reads entries and attempts them.
 * - `dismissed`: the receiver wants no more. The webhook's row is disabled by then, or is about to be; nothing begins
 *   until the row changes.
 * - `ending`: attempts under way get time to end, and the other entries are handed back.
 */
type Mode = "sending" | "dismissed" | "ending"

type Transition = "dismiss" | "redefine" | "end"

/** A late answer may dismiss an actor that ends. `Actors` removes an actor before it ends it: nothing else follows. */
const transitions: Readonly<Record<Mode, Readonly<Partial<Record<Transition, Mode>>>>> = {
  sending: { dismiss: "dismissed", redefine: "sending", end: "ending" },
  dismissed: { dismiss: "dismissed", redefine: "sending", end: "ending" },
  ending: { dismiss: "ending" }
}

export class ActorMode {
  private mode: Mode = "sending"

  /** Whether entries are read. */
  get mayRead(): boolean {
    return this.mode === "sending"
  }

  /** Whether an entry that was read may be attempted; an actor that ends finishes entries that it has begun with. */
  get mayAttempt(): boolean {
    return this.mode !== "dismissed"
  }

  /** Throws for a transition that the mode does not have: a defect. */
  turn(transition: Transition): void {
    const next = transitions[this.mode][transition]
    if (next === undefined) throw new Error(`An actor that is ${this.mode} cannot ${transition}.`)
    this.mode = next
  }
}
