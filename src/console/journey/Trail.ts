/** The stations of a transaction, from the request to the answers. */
import type { Journey } from "../../history/explain/Journey.ts"
import { countedMax } from "../../history/explain/Transactions.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"
import { requestLink } from "../change/ChangeTable.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { durationOf } from "./Scale.ts"

interface Station {
  readonly state: "ok" | "bad" | "wait"
  readonly icon: IconName
  readonly title: string
  readonly detail: Html | string
  readonly note?: Html | string
}

export const trail = (journey: Journey): Html =>
  html`<section class="card trail" id="trail" aria-label="Stations of this transaction">
    <ol>
      ${stations(journey).map(
        ({ state, icon: name, title, detail, note }) =>
          html`<li class="${state}">
            <span class="stop">${icon(name)}</span>
            <div>
              <b>${title}</b
              ><span class="sub">${detail}</span>${note === undefined ? "" : html`<span class="sub">${note}</span>`}
            </div>
          </li>`
      )}
    </ol>
  </section>`

const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? "" : "s"}`

const stations = (journey: Journey): ReadonlyArray<Station> => {
  const { transaction, changes, deliveries } = journey
  const { time, lsn, xid, changes: count } = transaction
  const asked = changes.reduce((sum, each) => sum + each.asked, 0)
  const fired = changes.reduce((sum, each) => sum + each.fired, 0)
  const more = count >= countedMax ? " or more" : ""
  return [
    transaction.source === null ? origin(transaction) : sourceOrigin(transaction.source, transaction),
    { state: "ok", icon: "pencil", title: "Changed", detail: `${plural(count, "object")}${more}` },
    {
      state: "ok",
      icon: "check",
      title: "Committed",
      detail: timeOf(time, "second"),
      note: html`<span class="mono">LSN ${lsn}${xid === null ? "" : ` · xid ${xid}`}</span>`
    },
    { state: "ok", icon: "activity", title: "Captured", detail: "in the change log" },
    {
      ...{ state: "ok", icon: "filter", title: "Matched" },
      detail: `${number(fired)} of ${number(asked)} fired`,
      ...(changes.length < count && { note: "on this page" })
    },
    ...(deliveries === undefined ? [] : [sent(journey, deliveries)])
  ]
}

/** Only what was answered with success is committed, so the answer's status says nothing new. */
const origin = ({ user_name: user, request_id: id, request }: Journey["transaction"]): Station => {
  const token = request?.token === undefined ? "" : ` · token ${request.token}`
  const who = user === "" ? "Plain SQL" : `${request === null ? "SQL" : "Request"} of ${user}`
  const link = requestLink({ request_id: id })
  const station = { state: "ok", icon: "user", title: who } as const
  if (request === null) return { ...station, detail: link }
  return {
    ...station,
    detail: html`<span class="mono">${request.method} ${request.path}</span>`,
    note: html`${link}${token}`
  }
}

/** A source relays several requests together, so its transaction may be of several users. */
const sourceOrigin = (
  source: string,
  { user_name: user, request_id: id, changes }: Journey["transaction"]
): Station => ({
  ...{ state: "ok", icon: "database", title: source },
  detail: user === "" ? "recorded in NetBox" : `recorded in NetBox, by ${user}`,
  ...(changes === 1 && { note: requestLink({ request_id: id }) })
})

const sent = ({ transaction, changes }: Journey, deliveries: NonNullable<Journey["deliveries"]>): Station => {
  const fates = changes.flatMap(({ webhooks }) =>
    webhooks.flatMap(({ fate }) => (fate === undefined ? [] : [fate.state]))
  )
  const count = (...states: ReadonlyArray<string>) => fates.filter((state) => states.includes(state)).length
  const [good, bad] = [count("successful"), count("failed")]
  const waiting = count("queued", "held", "sending", "retrying")
  const parts = [
    [good, "delivered"],
    [waiting, "waiting"],
    [bad, "failed"],
    [count("discarded"), "discarded"]
  ] as const
  const ends = deliveries.flatMap(({ attempts }) =>
    attempts.map(({ started, duration_ms: millis }) => Date.parse(started) + millis)
  )
  const detail = parts
    .filter(([found]) => found > 0)
    .map(([found, word]) => `${number(found)} ${word}`)
    .join(", ")
  return {
    state: bad > 0 ? "bad" : waiting > 0 ? "wait" : "ok",
    icon: "send",
    title: "Deliveries",
    detail: detail === "" ? "none" : detail,
    ...(ends.length > 0 && {
      note: `last answer after ${durationOf(Math.max(0, Math.max(...ends) - Date.parse(transaction.time)))}`
    })
  }
}
