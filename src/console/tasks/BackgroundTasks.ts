/** `/system/background-tasks/`: what waits, what is sent, what failed and why, and the processes that work. */
import { Clock, Effect } from "effect"
import { healthOf } from "../../history/health/Healths.ts"
import { failureGroups } from "../../history/log/Failures.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { sendingState } from "../../requests/Sending.ts"
import { busyWebhooks, capturedState, depths, failedCount } from "../../history/tasks/Pipeline.ts"
import { serviceProblems } from "../../history/tasks/Problems.ts"
import { deliverers, processes } from "../../history/tasks/Processes.ts"
import { queuesOf } from "../../history/tasks/Queues.ts"
import { mayWatch } from "../../http/system/MetricsAccess.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { allOf, isEverything, equalTo } from "../../inventory/derive/filter/Where.ts"
import { byIds } from "../../inventory/read/Read.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { html } from "../Html.ts"
import { framed } from "../frame/Frame.ts"
import { pausedBanner, problemBanner, senderBanner, switchForm } from "../system/Banners.ts"
import { noteLine, withoutNote } from "../system/Note.ts"
import { pipelineStrip } from "./PipelineStrip.ts"
import { probed, unavailable } from "../system/Probe.ts"
import { processTable } from "../system/ProcessTable.ts"
import { queueTable } from "./QueueTable.ts"
import { stateIn, stateTabs, tasksPath } from "./States.ts"
import { tasksOf } from "./Tasks.ts"
import { live, liveControl, withLive } from "../live/Following.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** Most queues that the page shows. */
const queuesMax = 10

/** Failed deliveries by cause, of those that the reader may view. */
const failures = Effect.flatMap(cleared(deliveryType, "view"), (visible) =>
  failureGroups(allOf(equalTo(deliveryType, { status: "failed" }), visible))
)

/** The queues in which something waits or of which something failed, and which of them the reader may pause. */
const shownQueues = (failing: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const ids = [...new Set([...(yield* busyWebhooks(queuesMax)), ...failing])].slice(0, queuesMax)
    const rows = yield* byIds(webhookType, ids)
    const healths = new Map((yield* healthOf(rows)).map((health) => [health.webhook, health]))
    const changeable = new Set((yield* byIds(webhookType, ids, "change")).map(({ id }) => id))
    return { queues: yield* queuesOf(rows.map(({ id }) => id)), changeable, healths }
  })

const show: Handler = (request) =>
  Effect.gen(function* () {
    const watches = yield* mayWatch(request)
    const state = stateIn(request.url.searchParams)
    const found = yield* Effect.all(
      {
        captured: watches ? probed(capturedState) : Effect.undefined,
        depths: probed(depths),
        failed: probed(failedCount),
        groups: probed(failures),
        all: probed(processes),
        problems: probed(Effect.flatMap(processes, serviceProblems)),
        sending: probed(sendingState)
      },
      { concurrency: "unbounded" }
    )
    const { groups, all, sending } = found
    const shown = yield* probed(shownQueues((groups ?? []).map(({ webhook }) => webhook)))
    const mayRule = isEverything(yield* cleared(webhookType, "change"))
    const now = yield* Clock.currentTimeMillis
    const senders = all === undefined ? undefined : deliverers(all).filter(({ lost }) => !lost).length
    const tabCounts = {
      failed: found.failed,
      scheduled: found.depths?.waiting,
      running: found.depths?.sending,
      queued: found.depths?.queued
    }
    const reply = yield* framed(request, {
      title: "Background Tasks",
      crumbs: [["System"]],
      actions: html`${liveControl}${sending?.paused === false && mayRule ? switchForm(request, false) : ""}`,
      main: html`<div class="system-page">
        ${noteLine(request)}${all === undefined ? "" : senderBanner(all)}
        ${sending === undefined ? "" : pausedBanner(request, sending, mayRule)}
        ${found.problems === undefined || !watches ? "" : live("problems", problemBanner(found.problems))}
        ${live("pipeline", pipelineStrip({ ...found, watches, senders }))}
        ${shown === undefined ? missing("Queues") : live("queues", queueTable(request, { ...shown, now }))}
        ${live("tasks", stateTabs(state, tabCounts))}
        ${yield* tasksOf(state, { groups, queues: shown?.queues, now, base: request.base })}
        ${all === undefined ? missing("Processes") : live("processes", processTable(request, { processes: all, mayTell: mayRule, now }))}
      </div>`
    })
    return withoutNote(request, reply)
  })

const missing = (title: string) =>
  html`<section class="card">
    <div class="ch"><h2>${title}</h2></div>
    <p class="note">${unavailable}</p>
  </section>`

export default { path: tasksPath, access: webhookType, methods: { GET: withLive(show) } } satisfies Route
