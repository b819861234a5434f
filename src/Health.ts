import { Context, type Effect } from "effect"

/** Whether this process can do its work: what keeps it from it, in words; nothing when it is ready. */
export class Health extends Context.Service<Health, { readonly problems: Effect.Effect<ReadonlyArray<string>> }>()(
  "rackwire/Health"
) {}
