import { Context, type Effect } from "effect"

/** The readiness of this process. Both have a sentence for each reason why it is not ready. */
export class Health extends Context.Service<
  Health,
  {
    /** Reasons that keep the process from its work, and that end by themselves or with a server that is available again. */
    readonly problems: Effect.Effect<ReadonlyArray<string>>
    /** Reasons that need attention, while the process works. */
    readonly alarms: Effect.Effect<ReadonlyArray<string>>
    /** From now on the process is not ready: it is about to end. */
    readonly leave: Effect.Effect<void>
  }
>()("rackwire/Health") {}
