/** Parts of a page that are read on their own: one that cannot be read leaves its own place empty, not the page. */
import { Effect } from "effect"
import { inWords } from "../../telemetry/Telemetry.ts"
import { html } from "../Html.ts"

/** The result of the read; undefined if it failed. */
export const probed = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, never, R> =>
  Effect.catch(read, (error) =>
    Effect.as(Effect.logWarning(`console: a part of a page is missing: ${inWords(error)}`), undefined)
  )

export const unavailable = html`<span class="none">unavailable</span>`
