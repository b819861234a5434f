/** A kind of panel as the console draws it; each is the default export of a file in this folder. */
import type { Effect } from "effect"
import type { Refusal, Services } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Row, View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import type { PanelKind, PanelOf } from "../../inventory/page/Panel.ts"
import { type Html, html } from "../Html.ts"

/** The object whose page is shown. */
export interface About {
  readonly type: ObjectType
  readonly row: Row
  readonly view: View
  /** Its representation. */
  readonly shown: Readonly<Record<string, unknown>>
  readonly request: Request
}

/** Places of a page: the first one is before all columns, and the wide one is below them. */
export type Place = "first" | "main" | "side" | "wide"

export interface Drawing<Kind extends PanelKind = PanelKind> {
  readonly kind: Kind
  readonly place: Place
  /** Whether it has parts that are updated while the page is open. */
  readonly isLive: boolean
  /** Sends one statement at most. Undefined where there is nothing to show. */
  readonly draw: (panel: PanelOf<Kind>, about: About) => Effect.Effect<Html | undefined, Refusal, Services>
}

/** Checks a drawing against what declarations say of its kind. */
export const drawing = <Kind extends PanelKind>(
  kind: Kind,
  place: Place,
  draw: Drawing<Kind>["draw"],
  isLive = false
): Drawing<Kind> => ({ kind, place, draw, isLive })

/** The id of the heading of a panel that a page may have several times. */
export const panelId = (title: string): string => `panel-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`

/** A card with a heading; `tools` are beside it. */
export const card = (id: string, title: string, content: Html, tools: Html | "" = ""): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <div class="ch">
      <h2 id="${id}">${title}</h2>
      ${tools}
    </div>
    ${content}
  </section>`
