/** The switches of the background tasks: all sending, the queue of a webhook, a process. */
import { Effect } from "effect"
import { askForProbe } from "../../log/BreakerTable.ts"
import { askToResume } from "../../requests/Operations.ts"
import { pauseSending } from "../../requests/Sending.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { notFound } from "../../http/HttpRefused.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { mayRule, resumeAll, tellProcess } from "../../http/system/Sending.ts"
import { objectType } from "../../inventory/Registry.ts"
import { update } from "../../inventory/write/Write.ts"
import { type Note, note } from "../system/Note.ts"
import { tasksPath } from "./States.ts"

const webhookType = objectType("extras.webhook")

const back = (told: Note) => ({ ...redirect(tasksPath), cookies: [note(told)] })

const pause: Handler = (request) =>
  Effect.gen(function* () {
    yield* mayRule
    const isFirst = yield* pauseSending(request.author.username)
    return back(isFirst ? "sending-paused" : "sending-was-paused")
  })

const resume: Handler = (request) => Effect.as(resumeAll(request), back("sending-resumed"))

const pauseQueue: Handler = (request) =>
  Effect.gen(function* () {
    const { id } = yield* rowOf(webhookType, request, "change")
    const [row] = yield* update(webhookType, [{ id, body: { paused: true } }], false, request.author)
    return row === undefined ? yield* notFound() : back("queue-paused")
  })

const resumeQueue: Handler = (request: Request) =>
  Effect.gen(function* () {
    const { id, paused } = yield* rowOf(webhookType, request, "change")
    if (paused !== true) return back("queue-not-paused")
    yield* askToResume(id, "all")
    return back("queue-resumed")
  })

const probeQueue: Handler = (request) =>
  Effect.gen(function* () {
    const { id } = yield* rowOf(webhookType, request, "change")
    return back((yield* askForProbe([id])).length > 0 ? "queue-probed" : "queue-not-probed")
  })

const tell =
  (quiet: boolean): Handler =>
  (request) =>
    Effect.as(tellProcess(request, quiet), back(quiet ? "process-quiet" : "process-works"))

const changing = { access: webhookType, action: "change" } as const

export default [
  { path: `${tasksPath}pause/`, ...changing, methods: { POST: pause } },
  { path: `${tasksPath}resume/`, ...changing, methods: { POST: resume } },
  { path: `${tasksPath}queues/:id/pause/`, ...changing, methods: { POST: pauseQueue } },
  { path: `${tasksPath}queues/:id/resume/`, ...changing, methods: { POST: resumeQueue } },
  { path: `${tasksPath}queues/:id/probe/`, ...changing, methods: { POST: probeQueue } },
  { path: `${tasksPath}processes/:name/quiet/`, ...changing, methods: { POST: tell(true) } },
  { path: `${tasksPath}processes/:name/resume/`, ...changing, methods: { POST: tell(false) } }
] satisfies ReadonlyArray<Route>
