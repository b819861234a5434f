/** The way of a change in numbers, from the write-ahead log to what failed. */
import { type CaptureProgress, type Depths, countedMax } from "../../history/tasks/Pipeline.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { bytesText } from "../system/Amounts.ts"
import { unavailable } from "../system/Probe.ts"
import { statePath } from "./States.ts"

interface PipelineNumbers {
  /** Absent for readers who may not see the state of the service; undefined if it cannot be read. */
  readonly captured?: CaptureProgress | undefined
  readonly watches: boolean
  readonly depths: Depths | undefined
  readonly failed: number | undefined
  /** In how many processes deliveries are sent. */
  readonly senders: number | undefined
}

/** From this lag on capture is behind, milliseconds. */
const behindMillis = 5000

export const pipelineStrip = ({ captured, watches, depths, failed, senders }: PipelineNumbers): Html =>
  html`<section class="pipeline card" id="pipeline" aria-label="Pipeline">
    ${watches ? html`${wal(captured)}${arrow}${changes(captured)}${arrow}` : ""}
    ${node("Queued", counted(depths?.queued), "in the queues", { path: statePath("queued") })}
    ${arrow}${node("Sending", counted(depths?.sending), sendersText(senders), { path: statePath("running") })}
    ${arrow}${node("Waiting", counted(depths?.waiting), "for their next attempt", { path: statePath("scheduled") })}
    ${arrow}${node("Failed", failedText(failed), "used up their retries", {
      path: statePath("failed"),
      state: (failed ?? 0) > 0 ? "bad" : ""
    })}
  </section>`

const arrow = html`<span class="arr">${icon("chevron-right")}</span>`

interface Look {
  readonly path?: string
  readonly state?: "" | "warn" | "bad"
}

const node = (title: string, value: Html, sub: string, { path, state = "" }: Look): Html =>
  html`<div class="pn ${state}">
    <span class="k">${title}</span
    ><span class="v">${path === undefined ? value : html`<a href="${path}">${value}</a>`}</span
    ><span class="sub">${sub}</span>
  </div>`

const counted = (count: number | undefined): Html => (count === undefined ? unavailable : html`${number(count)}`)

const failedText = (count: number | undefined): Html =>
  count === undefined ? unavailable : html`${number(count)}${count < countedMax ? "" : html`<small> or more</small>`}`

const wal = (captured: CaptureProgress | undefined): Html => {
  if (captured === undefined) return node("WAL", unavailable, "lag", {})
  const { lagMillis, lagBytes } = captured
  if (lagMillis === null) return node("WAL", html`not read`, "no process captures", { state: "bad" })
  const behind = lagBytes === null ? "lag" : `lag, ${bytesText(lagBytes)}`
  return node("WAL", html`${durationText(lagMillis)}`, behind, { state: lagMillis > behindMillis ? "warn" : "" })
}

const changes = (captured: CaptureProgress | undefined): Html => {
  const confirmed = captured?.confirmed
  const sub = confirmed === null || confirmed === undefined ? "" : ` · confirmed ${confirmed}`
  const value =
    captured === undefined ? unavailable : html`${number(captured.captured_last_minute)}<small> per minute</small>`
  return node("Captured", value, `changes${sub}`, {})
}

const sendersText = (senders: number | undefined): string =>
  senders === undefined ? "" : senders === 1 ? "by 1 process" : `by ${senders} processes`
