/** The deliveries that a page of deliveries is about. */
import { Clock, Effect } from "effect"
import { isPlaced, usualMillis } from "../../history/log/Window.ts"
import type { Request } from "../../http/wire/Request.ts"

/**
 * The request with the filters of its address; those of the last 24 hours where it says nothing about the time. `isUsual`:
 * whether it does not.
 */
export const ofUsualTime = Effect.fnUntraced(function* (request: Request) {
  const url = new URL(request.url)
  if (isPlaced([...url.searchParams])) return { request, isUsual: false }
  const now = yield* Clock.currentTimeMillis
  // To the second, so that an address that is made of it stays short.
  url.searchParams.set("time__gte", timeText(Math.floor((now - usualMillis) / 1000) * 1000))
  return { request: { ...request, url }, isUsual: true }
})

/** 2026-11-20T08:30:00Z, with a fraction only where there is one. */
export const timeText = (millis: number): string => new Date(millis).toISOString().replace(".000Z", "Z")
