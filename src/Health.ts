import { Context, type Effect } from "effect"

/** The readiness of this process: `problems` has a sentence for each reason why it is not ready. */
export class Health extends Context.Service<Health, { readonly problems: Effect.Effect<ReadonlyArray<string>> }>()(
  "rackwire/Health"
) {}
