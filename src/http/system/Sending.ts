/** Pausing and resuming all sending, and draining one process. */
import { Effect } from "effect"
import { pauseSending, resumeSending, sendingState } from "../../requests/Sending.ts"
import { setQuiet } from "../../postgres/Presence.ts"
import { objectType } from "../../inventory/Registry.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { described, flag, orNull, record, string, time } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { unlimited } from "../webhooks/ActionRequest.ts"

const webhookType = objectType("extras.webhook")

/** Fails with 403 unless the sender may change every webhook. */
export const mayRule = unlimited(webhookType, "change")

export const sending = record({
  paused: flag,
  since: orNull(time),
  by: described(orNull(string), "The user who paused it.")
})

const show = () => Effect.map(sendingState, (json) => ({ status: 200, json }))

/** Pauses sending; a second pause changes nothing. */
const pause = (request: Request) =>
  Effect.andThen(Effect.andThen(mayRule, pauseSending(request.author.username)), show())

/** Resumes sending. Fails with 409 if it is not paused. */
export const resumeAll = Effect.fnUntraced(function* ({ author }: Request) {
  yield* mayRule
  if (!(yield* resumeSending(author.username))) {
    return yield* new HttpRefused({ reason: "Conflict", body: { detail: "Sending is not paused." } })
  }
})

const resume = (request: Request) => Effect.andThen(resumeAll(request), show())

/** Drains the process of the address, or lets it take work again. Fails with 404 if none delivers. */
export const tellProcess = Effect.fnUntraced(function* ({ params, author }: Request, quiet: boolean) {
  yield* mayRule
  const name = nameIn(params["name"] ?? "")
  if (name === undefined || !(yield* setQuiet(name, quiet))) return yield* notFound()
  const told = quiet ? "takes no new work" : "takes work again"
  yield* Effect.logInfo(`deliver: the process ${name} ${told}, as ${author.username} says`)
  return name
})

const nameIn = (segment: string): string | undefined => {
  try {
    const name = decodeURIComponent(segment)
    return name.includes("\0") ? undefined : name
  } catch {
    return undefined
  }
}

const tell = (summary: string, quiet: boolean) =>
  endpoint({ summary, reply: record({ name: string, quiet: flag }) }, (request) =>
    Effect.map(tellProcess(request, quiet), (name) => ({ status: 200, json: { name, quiet } }))
  )

const changing = { access: webhookType, action: "change" } as const

export default [
  {
    path: "/api/core/sending/",
    access: webhookType,
    methods: { GET: endpoint({ summary: "Whether all sending is paused", reply: sending }, show) }
  },
  {
    path: "/api/core/sending/pause/",
    ...changing,
    methods: { POST: endpoint({ summary: "Pause the sending to all webhooks", reply: sending }, pause) }
  },
  {
    path: "/api/core/sending/resume/",
    ...changing,
    methods: { POST: endpoint({ summary: "Resume the sending", reply: sending }, resume) }
  },
  {
    path: "/api/core/background-workers/:name/quiet/",
    ...changing,
    methods: { POST: tell("Drain a process: it ends its attempts and takes no new work", true) }
  },
  {
    path: "/api/core/background-workers/:name/resume/",
    ...changing,
    methods: { POST: tell("Let a process take work again", false) }
  }
] satisfies ReadonlyArray<Route>
