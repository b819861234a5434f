/** Actions that the reader may take on a delivery, as forms, if they make sense in its state. */
import { Effect } from "effect"
import type { Neighbours } from "../../history/inspect/Neighbours.ts"
import { type DeliveryState, discardRefusal, retryRefusal } from "../../requests/OneDelivery.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { Request } from "../../http/wire/Request.ts"
import { objectType } from "../../inventory/Registry.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"

export const webhookType = objectType("extras.webhook")

interface ActionTarget {
  readonly id: number
  readonly webhook: number | null
  readonly path: string
  readonly state: DeliveryState
  /** The attempt that is shown. */
  readonly attempt: number | undefined
}

export const actions = Effect.fnUntraced(function* (
  request: Request,
  { id, webhook, path, state, attempt }: ActionTarget
) {
  const mayAct = (yield* byIds(deliveryType, [id], "change")).length > 0
  const mayPause = webhook !== null && (yield* byIds(webhookType, [webhook], "change")).length > 0
  const form = (to: string, button: Html) =>
    html`<form method="post" action="${path}${to}/">${csrfInput(request)}${button}</form>`
  const isAgain = retryRefusal(state)?.reason === "Succeeded"
  const isRetried = mayAct && retryRefusal(state, { again: true }) === undefined
  const isDiscarded = mayAct && discardRefusal(state) === undefined
  return html`${
      isRetried && isAgain
        ? html`<a class="btn btn-sm" data-key="r" href="${path}retry/">${icon("refresh")}Send again</a>`
        : ""
    }${
      isRetried && !isAgain
        ? form(
            "retry",
            html`<input type="hidden" name="attempts" value="${state.attempts}" /><button
                class="btn btn-sm btn-primary"
              >
                ${icon("refresh")}Retry now
              </button>`
          )
        : ""
    }${
      attempt === undefined
        ? ""
        : html`<a class="btn btn-sm" href="${path}?attempt=${attempt}&amp;view=curl"
            >${icon("terminal-2")}Copy as curl</a
          >`
    }${
      mayPause && state.webhook === "active"
        ? form("pause-webhook", html`<button class="btn btn-sm">${icon("player-pause")}Pause webhook</button>`)
        : ""
    }${
      mayPause && state.webhook === "paused"
        ? html`<a class="btn btn-sm" href="${pathOf(webhookType, webhook)}resume/"
            >${icon("player-play")}Resume webhook</a
          >`
        : ""
    }${isDiscarded ? html`<a class="btn btn-sm btn-ghost-danger" href="${path}discard/">Discard</a>` : ""}
    <a class="btn btn-sm" href="${deliveryType.path}${id}/">${icon("code")}API</a>`
})

/** The effect of a retry in this state, for readers who are about to request it; undefined where it is plain. */
export const retryNote = ({ status, webhook }: DeliveryState): string | undefined => {
  if (webhook === "paused" || webhook === "disabled") {
    return `The webhook is ${webhook}: a delivery that is retried is sent when it is no longer ${webhook}.`
  }
  return status === "retrying" ? "Retry now replaces the attempt that is scheduled." : undefined
}

/** The ways to the deliveries before and after this one. */
export const steps = (title: string, { previous, next }: Neighbours): Html =>
  previous === null && next === null
    ? html``
    : html`<nav class="beside" aria-label="${title}">
        <span class="sub">${title}</span>${step(previous, "Previous")}${step(next, "Next")}
      </nav>`

const step = (id: number | null, title: "Previous" | "Next"): Html => {
  if (id === null) return html``
  const isNext = title === "Next"
  return html`<a class="btn btn-sm" href="${pathOf(deliveryType, id)}" rel="${isNext ? "next" : "prev"}"
    >${isNext ? "" : icon("chevron-left")}${title}${isNext ? icon("chevron-right") : ""}</a
  >`
}
