/**
 * Parts of a page that change by themselves. A page marks them with `live` and its route with `withLive`. Then a browser
 * that opens the page's address as a stream of events gets each part again whenever it has changed.
 *
 * The stream makes the page anew, for the same reader by the rights of the moment, and sends what differs. It ends after
 * a minute, or once the credentials give another reader or none; then the browser connects again, and is admitted
 * again.
 */
import { Clock, Effect, Result, Stream } from "effect"
import { clearanceOf } from "../../auth/Permission.ts"
import { Pace, paused } from "../../eventloop/Pace.ts"
import { identify } from "../../http/Admission.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import type { Handler, Reply, Services } from "../../http/Route.ts"
import { asksForEvents } from "../../http/wire/Reader.ts"
import type { Request } from "../../http/wire/Request.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { Html, html } from "../Html.ts"

/** Streams from which on pauses grow with their number: a process makes at most seven pages a second for all of them. */
const streamsAtFullPace = 20

/** Most streams of one user, and of all users of a process. */
const streamsPerUser = 12
const streamsMax = 200

const begin = (id: string): string => `<!--live ${id}-->`
const end = "<!--/live-->"

/** A part of a page; its element has this id. */
export const live = (id: string, part: Html): Html => new Html(`${begin(id)}${part.text}${end}`)

/** The parts of a page by their ids. */
type Parts = ReadonlyMap<string, string>

const partsOf = ({ text }: Reply): Parts =>
  new Map(
    [...(text?.content ?? "").matchAll(/<!--live ([\w-]+)-->(.*?)<!--\/live-->/gs)].map(([, id, part]) => [id!, part!])
  )

/** Open streams of this process by their users. */
const streams = new Map<number, number>()

const allStreams = (): number => [...streams.values()].reduce((sum, count) => sum + count, 0)

/** Counts a stream of the user; returns false where there are too many. */
const enter = (user: number): boolean => {
  const own = streams.get(user) ?? 0
  if (own >= streamsPerUser || allStreams() >= streamsMax) return false
  streams.set(user, own + 1)
  return true
}

const leave = (user: number) =>
  Effect.sync(() => {
    const left = (streams.get(user) ?? 0) - 1
    if (left > 0) streams.set(user, left)
    else streams.delete(user)
  })

const pause = paused(({ live }) => live.pauseMillis * Math.max(1, allStreams() / streamsAtFullPace))

/** The same handler, which answers requests for a stream of events too. */
export const withLive =
  (show: Handler): Handler =>
  (request) =>
    asksForEvents(request.incoming) ? streamed(show, request) : show(request)

const streamed = (show: Handler, request: Request) =>
  Effect.gen(function* () {
    const user = request.principal.user?.id ?? 0
    if (!enter(user)) {
      const body = { detail: "Too many pages of yours are open. Close some, and load this one again." }
      return yield* new HttpRefused({ reason: "Busy", body, headers: { "retry-after": `${fullSeconds}` } })
    }
    // Made before the answer begins, so that a reader who is refused gets an error.
    const first = yield* Effect.ensuring(show(request), leave(user))
    if (first.status !== 200) return first
    const context = yield* Effect.context<Services>()
    const { lifeMillis, retryMillis } = (yield* Pace).live
    const endMillis = (yield* Clock.currentTimeMillis) + lifeMillis
    const again = Effect.andThen(pause, Effect.result(shownAgain(show, request)))
    const next = Effect.fnUntraced(function* (state: {
      readonly known: Parts
      readonly step: "first" | "next" | "none"
    }) {
      const { known, step } = state
      if (step === "none") return undefined
      // The page that the reader has may be older: the connection may come back after a while.
      if (step === "first")
        return [`retry: ${retryMillis}\n${eventOf(new Map(), known)}`, { known, step: "next" }] as const
      if ((yield* Clock.currentTimeMillis) >= endMillis) return [askAgain, { known, step: "none" }] as const
      const made = yield* again
      if (Result.isSuccess(made) && made.success === undefined) return [askAgain, { known, step: "none" }] as const
      if (Result.isFailure(made) || made.success?.status !== 200) return ["event: away\ndata: {}\n\n", state] as const
      const parts = partsOf(made.success)
      return [eventOf(known, parts), { known: parts, step }] as const
    })
    // Others may have begun meanwhile; the browser connects again when the stream has ended.
    const content = Stream.suspend(() =>
      enter(user)
        ? Stream.unfold({ known: partsOf(first), step: "first" }, next).pipe(Stream.ensuring(leave(user)))
        : Stream.make(`retry: ${fullSeconds * 1000}\n\n`)
    ).pipe(Stream.provideContext(context))
    return { status: 200, headers: unbuffered, stream: { type: "text/event-stream", content } } satisfies Reply
  })

/** nginx would otherwise keep events until they fill a buffer. */
const unbuffered = { "x-accel-buffering": "no" }

/** Seconds after which a reader of too many pages may connect again. */
const fullSeconds = 60

const askAgain = "event: again\ndata: {}\n\n"

/** The page by the rights of now; undefined if the credentials do not belong to its reader any more. */
const shownAgain = Effect.fnUntraced(function* (show: Handler, request: Request) {
  const principal = yield* identify(request.incoming, request.origin)
  if (principal.user?.id !== request.principal.user?.id) return undefined
  const clearance = yield* clearanceOf(principal)
  return yield* Effect.provideService(show({ ...request, principal }), Clearance, clearance)
})

/** The parts that differ, as JSON by their ids; an event without any says that the page is as it was. */
const eventOf = (known: Parts, next: Parts): string => {
  const changed = [...next].filter(([id, part]) => known.get(id) !== part)
  return `data: ${JSON.stringify(Object.fromEntries(changed))}\n\n`
}

/** Says whether the page is live, and pauses it. Scripts show it. Not for the answer to a form: its address has no stream. */
export const liveControl = html`<span class="live" data-live hidden>
  <button class="btn btn-sm" type="button" data-live-show role="status" hidden></button><span class="dot"></span
  ><span data-live-state>Connecting</span
  ><button class="btn btn-sm" type="button" data-live-pause>Pause updates</button>
</span>`
