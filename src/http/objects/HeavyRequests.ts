/** Requests that need much memory at once, a few at a time in a process, of all senders together. */
import { Context, Effect, Layer } from "effect"
import { type Lane, makeLane } from "../../eventloop/Lane.ts"
import { HttpRefused } from "../HttpRefused.ts"

/** A template export has 4 Mi characters of objects, an upload 10 MiB for each image; each has copies of them for a moment. */
const most = 2

/** Most requests that wait, and how long each waits, milliseconds. One that waits has not read its body. */
const line = { waiting: 50, patienceMillis: 20_000 }

export class HeavyRequests extends Context.Service<
  HeavyRequests,
  {
    readonly exporting: Lane<HttpRefused>["run"]
    readonly uploading: Lane<HttpRefused>["run"]
  }
>()("rackwire/http/HeavyRequests") {
  static readonly layer = Layer.sync(HeavyRequests, () =>
    HeavyRequests.of({
      exporting: makeLane({ most, ...line, busy: busy("exports by templates") }).run,
      uploading: makeLane({ most, ...line, busy: busy("uploads of images") }).run
    })
  )
}

const busy = (kind: string) =>
  Effect.suspend(() =>
    Effect.fail(
      new HttpRefused({
        reason: "Busy",
        body: { detail: `Too many ${kind} are under way. Try again later.` },
        headers: { "retry-after": "5" }
      })
    )
  )
