import { Context, type Effect } from "effect"

/** The health of this process. Problems and alarms are sentences, one for each reason. */
export class Health extends Context.Service<
  Health,
  {
    /** Reasons that keep the process from its work, and that end by themselves or with a server that is available again. */
    readonly problems: Effect.Effect<ReadonlyArray<string>>
    /** Reasons that need attention while the process takes requests and works: it is ready. */
    readonly alarms: Effect.Effect<ReadonlyArray<string>>
    /** From now on the process is not ready: it is about to end. */
    readonly leave: Effect.Effect<void>
  }
>()("rackwire/Health") {}
