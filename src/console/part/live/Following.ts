/**
 * Parts of a page that change by themselves. A page marks them with `live` and its route with `withLive`. Then a browser
 * that asks for the page's address as a stream of events gets each part again whenever it has changed.
 *
 * The stream makes the page anew, for the same reader and by the same rights, and sends what differs. It ends after a
 * minute; the browser asks again, and is admitted again, by the rights that it has then.
 */
import { Clock, Effect, Result, Stream } from "effect"
import { Pace, paused } from "../../../Pace.ts"
import { HttpRefused } from "../../../http/HttpRefused.ts"
import type { Handler, Reply, Request, Services } from "../../../http/Route.ts"
import { Html, html } from "../../Html.ts"

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

const pause = paused(({ live }) => live.pauseMillis * Math.max(1, allStreams() / streamsAtFullPace))

/** The same handler, which answers requests for a stream of events too. */
export const withLive =
  (show: Handler): Handler =>
  (request) =>
    request.incoming.headers["accept"] === "text/event-stream" ? streamed(show, request) : show(request)

const streamed = (show: Handler, request: Request) =>
  Effect.gen(function* () {
    const user = request.principal.user?.id ?? 0
    const own = streams.get(user) ?? 0
    if (own >= streamsPerUser || allStreams() >= streamsMax) {
      const body = { detail: "Too many pages of yours are open. Close some, and load this one again." }
      return yield* new HttpRefused({ reason: "Busy", body, headers: { "retry-after": "60" } })
    }
    // Made before the answer begins, so that a reader who is refused gets an error.
    const first = yield* show(request)
    if (first.status !== 200) return first
    const context = yield* Effect.context<Services>()
    const { lifeMillis, retryMillis } = (yield* Pace).live
    const endMillis = (yield* Clock.currentTimeMillis) + lifeMillis
    const again = Effect.andThen(pause, Effect.result(show(request)))
    const next = Effect.fnUntraced(function* (state: {
      readonly known: Parts
      readonly step: "first" | "next" | "none"
    }) {
      const { known, step } = state
      if (step === "none") return undefined
      // The page that the reader has may be older: the connection may come back after a while.
      if (step === "first")
        return [`retry: ${retryMillis}\n${eventOf(new Map(), known)}`, { known, step: "next" }] as const
      if ((yield* Clock.currentTimeMillis) >= endMillis)
        return ["event: again\ndata: {}\n\n", { known, step: "none" }] as const
      const made = yield* again
      if (Result.isFailure(made) || made.success.status !== 200) return ["event: away\ndata: {}\n\n", state] as const
      const parts = partsOf(made.success)
      return [eventOf(known, parts), { known: parts, step }] as const
    })
    const rounds = Stream.unfold({ known: partsOf(first), step: "first" }, next)
    const content = rounds.pipe(
      Stream.onStart(Effect.sync(() => count(user, 1))),
      Stream.ensuring(Effect.sync(() => count(user, -1))),
      Stream.provideContext(context)
    )
    return { status: 200, stream: { type: "text/event-stream", content } } satisfies Reply
  })

const count = (user: number, by: number): void => {
  const open = (streams.get(user) ?? 0) + by
  if (open > 0) streams.set(user, open)
  else streams.delete(user)
}

/** The parts that differ, as JSON by their ids; an event without any says that the page is as it was. */
const eventOf = (known: Parts, next: Parts): string => {
  const changed = [...next].filter(([id, part]) => known.get(id) !== part)
  return `data: ${JSON.stringify(Object.fromEntries(changed))}\n\n`
}

/** Says whether the page is live, and pauses it. Scripts show it. Not for the answer to a form: its address has no stream. */
export const liveControl = html`<span class="live" data-live hidden>
  <button class="btn btn-sm" type="button" data-live-show role="status" hidden></button><span class="dot"></span
  ><span data-live-state>Live</span><button class="btn btn-sm" type="button" data-live-pause>Pause updates</button>
</span>`
