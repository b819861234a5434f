/** `/help/keys/`: the keys of the console, which asset/script/keys.js acts on. */
import type { Handler, Route } from "../../http/Route.ts"
import { html } from "../Html.ts"
import { framed } from "./Frame.ts"

const keys: ReadonlyArray<readonly [where: string, keys: ReadonlyArray<readonly [key: string, does: string]>]> = [
  [
    "Everywhere",
    [
      ["/", "Search"],
      ["?", "Show this page"],
      ["g h", "Home page"],
      ["g w", "Webhooks"],
      ["g d", "Deliveries"],
      ["g c", "Change log"],
      ["Esc", "Close a menu"]
    ]
  ],
  [
    "In lists",
    [
      ["j, k", "Next or previous row"],
      ["o, Enter", "Open the row"],
      ["x", "Select the row"],
      ["e", "Edit the row"],
      ["a", "Add an object"],
      ["[, ]", "Previous or next page"]
    ]
  ],
  [
    "On the page of an object",
    [
      ["e", "Edit it"],
      ["p, t", "Pause or resume a webhook, or test it"],
      ["r", "Retry a delivery now"],
      ["[, ]", "Previous or next object, where the page links to it"]
    ]
  ],
  [
    "In pictures",
    [
      ["m", "Move the device that has the focus: arrows choose, Enter moves it, Esc leaves it"],
      ["+, -, 0", "Topology: larger, smaller, as large as the page"]
    ]
  ]
]

const show: Handler = (request) =>
  framed(request, {
    title: "Keys",
    main: html`<p class="lede links">
        The keys rest while a field has the focus. The <a href="/user/preferences/">preferences</a> switch them off.
      </p>
      <div class="tile-grid">
        ${keys.map(
          ([where, each]) =>
            html`<section class="card">
              <div class="ch"><h2>${where}</h2></div>
              <dl class="attrs keys">
                ${each.map(
                  ([key, does]) =>
                    html`<dt>
                        ${key.split(" ").map((part) => (part.endsWith(",") ? html`<kbd>${part.slice(0, -1)}</kbd> ` : html`<kbd>${part}</kbd> `))}
                      </dt>
                      <dd>${does}</dd>`
                )}
              </dl>
            </section>`
        )}
      </div>`
  })

export default { path: "/help/keys/", access: "open", methods: { GET: show } } satisfies Route
