/** The faults that need attention, of what the reader may view: alarms, webhooks, failed deliveries, paused webhooks. */
import { Effect } from "effect"
import { failedDeliveries } from "../../history/health/FailedDeliveries.ts"
import { heldWebhooks } from "../../history/health/HeldWebhooks.ts"
import { alarmType, lastingAlarms } from "../../history/health/LastingAlarms.ts"
import { unhealthyWebhooks } from "../../history/health/Unhealthy.ts"
import { mayView } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { sendingState } from "../../requests/Sending.ts"
import { type Html, html } from "../Html.ts"
import { waitingPath } from "../deliveries/WaitingLink.ts"
import { icon } from "../frame/Icon.ts"
import { shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { tasksPath } from "../tasks/States.ts"
import { stateDot } from "../webhook/Health.ts"
import { capital, pathOf } from "../value/Title.ts"

const deliveryType = objectType("extras.delivery")
const webhookType = objectType("extras.webhook")

/** Most failed deliveries that are counted, most faults of a kind that are named, and characters of a message. */
const countedMax = 1000
const namedMax = 5
const charsMax = 200

/** Most alarms that are read: those about webhooks that are named anyway are left out. */
const alarmsMax = 20

/** Nothing for readers who may view neither alarms nor webhooks. */
export const attention = Effect.gen(function* () {
  const seesWebhooks = yield* mayView(webhookType)
  const seesAlarms = yield* mayView(alarmType)
  if (!seesWebhooks && !seesAlarms) return html``
  const unhealthy = seesWebhooks ? yield* unhealthyWebhooks : []
  const shown = new Set(unhealthy.slice(0, namedMax).map(({ webhook }) => webhook))
  const alarms = seesAlarms ? yield* lastingAlarms(alarmsMax) : []
  const entries = [
    ...alarms
      .filter(({ webhook }) => webhook === null || !shown.has(webhook))
      .slice(0, namedMax)
      .map(alarmEntry),
    ...(seesWebhooks && (yield* sendingState).paused ? [pausedEntry] : []),
    ...unhealthy
      .slice(0, namedMax)
      .map((each) => entry(pathOf(webhookType, each.webhook), stateDot(each), each.name, each.sentence)),
    ...(unhealthy.length > namedMax
      ? [
          entry(
            `${pathOf(webhookType)}?health=failing`,
            badDot,
            `${unhealthy.length - namedMax} more webhooks`,
            "need attention"
          )
        ]
      : []),
    ...(seesWebhooks && (yield* mayView(deliveryType)) ? yield* ofDeliveries : [])
  ]
  if (entries.length === 0) return html`<p class="calm">${icon("check")}Nothing needs attention.</p>`
  return html`<section class="card attention" aria-labelledby="attention">
    <div class="ch"><h2 id="attention">Needs attention</h2></div>
    <ul class="rel">
      ${entries.map((each) => html`<li>${each}</li>`)}
    </ul>
  </section>`
})

const ofDeliveries = Effect.gen(function* () {
  const failed = yield* failedDeliveries({ countedMax, namedMax })
  const held = yield* heldWebhooks(namedMax)
  return [
    ...failed.map(({ id, name, count }) => {
      const query = `webhook_id=${id}&status=failed&time__gte=1970-01-01`
      const text = `${number(count)}${count < countedMax ? "" : " or more"} failed ${count === 1 ? "delivery" : "deliveries"}`
      return entry(`${pathOf(deliveryType)}?${query}`, badDot, name, `${text}: retry or discard`)
    }),
    ...held.map(({ id, name, waiting }) =>
      entry(
        `${waitingPath}?webhook_id=${id}`,
        warnDot,
        name,
        `paused: ${number(waiting)} ${waiting === 1 ? "delivery waits" : "deliveries wait"}`
      )
    )
  ]
})

const badDot = html`<span class="dot bad"></span>`
const warnDot = html`<span class="dot warn"></span>`

const alarmEntry = ({ id, kind, message }: Effect.Success<ReturnType<typeof lastingAlarms>>[number]): Html =>
  entry(
    pathOf(alarmType, id),
    badDot,
    alarmType.fields.kind.choices![kind] ?? kind,
    capital(shortened(message, charsMax))
  )

const pausedEntry = html`<a href="${tasksPath}"
  >${warnDot}<span>All sending is paused<span class="sub">: deliveries are queued</span></span></a
>`

const entry = (path: string, dot: Html, name: string, text: string): Html =>
  html`<a href="${path}"
    >${dot}<span>${name}<span class="sub">: ${text}</span></span></a
  >`
