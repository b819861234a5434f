/** Notice in place of a part of a page that could not be read: the rest of the page is shown. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { inWords } from "../../telemetry/Telemetry.ts"
import { type Html, html } from "../Html.ts"

/** The part, or a card that says that it is unavailable, as when its query took too long. */
export const orUnavailable = <R>(
  title: string,
  part: Effect.Effect<Html, SqlError.SqlError, R>
): Effect.Effect<Html, never, R> =>
  Effect.catch(part, (error) =>
    Effect.as(
      Effect.logWarning(`console: ${title} could not be read: ${inWords(error)}`),
      html`<section class="card" aria-label="${title}">
        <p class="note sub">${title}: unavailable. Load the page again to try once more.</p>
      </section>`
    )
  )
