/** The steps to the first delivery. Each is ticked when there is what it leads to. */
import { Effect } from "effect"
import type { Principal } from "../../auth/Principal.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { everything, isNothing, equalTo } from "../../inventory/derive/filter/Where.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

const webhookType = objectType("extras.webhook")

const change = {
  on: { title: "Make a change", why: "Here, through the API or by plain SQL.", path: "/dcim/sites/add/" },
  off: { title: "Attach a NetBox", why: "Its next change is recorded here.", path: "/extras/sources/" }
} as const

const stepsWith = (inventory: "on" | "off") =>
  [
    { title: "Create an API token", why: "Scripts log in with it.", path: "/user/api-tokens/" },
    { title: "Add a webhook", why: "It says which changes are sent, and where.", path: "/extras/webhooks/add/" },
    change[inventory],
    { title: "See it arrive", why: "A delivery that the receiver has accepted.", path: "/extras/deliveries/" }
  ] as const

const tokenType = objectType("users.token")
const deliveryType = objectType("extras.delivery")

/** The steps, for readers who may view webhooks, until all are done. */
export const firstSteps = Effect.fnUntraced(function* ({ user }: Principal, inventory: "on" | "off") {
  const visible = yield* visibleToSender
  if (user === undefined || isNothing(visible(webhookType))) return html``
  const counts = yield* countEach(
    [
      { type: tokenType, where: equalTo(tokenType, { user: user.id }) },
      { type: webhookType, where: everything },
      { type: objectType("extras.objectchange"), where: everything },
      { type: deliveryType, where: equalTo(deliveryType, { status: "successful" }) }
    ],
    1
  )
  return counts.every((count) => count > 0)
    ? html``
    : card(
        counts.map((count) => count > 0),
        stepsWith(inventory)
      )
})

const card = (done: ReadonlyArray<boolean>, steps: ReturnType<typeof stepsWith>): Html =>
  html`<section class="card first-steps" aria-labelledby="first-steps">
    <div class="ch">
      <h2 id="first-steps">First steps</h2>
      <span class="sub">${done.filter(Boolean).length} of ${done.length} done</span>
    </div>
    <ol>
      ${steps.map(
        ({ title, why, path }, at) =>
          html`<li class="${done[at] === true ? "done" : ""}">
            <span class="tick">${done[at] === true ? icon("check") : at + 1}</span>
            <span
              ><a href="${path}">${title}</a
              >${done[at] === true ? html`<span class="visually-hidden"> (done)</span>` : ""}<span class="sub"
                >${why}</span
              ></span
            >
          </li>`
      )}
    </ol>
  </section>`
