/** A request as handlers see it: read, admitted, and with its sender. */
import type { ByteSize, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Denied } from "../../auth/Denied.ts"
import type { Principal } from "../../auth/Principal.ts"
import type { Author } from "../../inventory/write/Transaction.ts"
import type { HttpRefused } from "../HttpRefused.ts"
import type { JsonBody } from "./Body.ts"
import type { Origin } from "./Origin.ts"

export interface Request {
  readonly incoming: HttpServerRequest.HttpServerRequest
  readonly url: URL
  /** Values of the `:name` segments. */
  readonly params: Readonly<Record<string, string>>
  readonly principal: Principal
  readonly author: Author
  /** The address by which the client reached the service. */
  readonly origin: Origin
  /** Address before `/api/…`, for URLs in answers. */
  readonly base: string
  /** The body as JSON. */
  readonly body: Effect.Effect<unknown, HttpRefused | Denied>
  /** The same with its text, where numbers are as they were sent. */
  readonly bodyWithText: Effect.Effect<JsonBody, HttpRefused>
  /** The body as it was sent, of any type. Fails with 413 if it is larger than `max`. */
  readonly bytes: (max: ByteSize.ByteSize) => Effect.Effect<ArrayBuffer, HttpRefused>
  readonly contentType: string | undefined
  /** `If-Match`: the client writes only if the object is as it was read. */
  readonly ifMatch: string | undefined
  /** The negotiated media type, one of those that the route produces. */
  readonly accepted: string
}

/** The address of the request as its client sees it. */
export const publicUrl = ({ url, base }: Pick<Request, "url" | "base">): URL =>
  new URL(base + url.pathname + url.search)

/** A request whose sender is presumed, without the author that plain writes need. */
export type PresumedRequest = Omit<Request, "author">
