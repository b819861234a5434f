import { Schema, Struct } from "effect"

/** Status on the wire, by reason. */
const statuses = {
  LoginFirst: 302,
  MalformedJson: 400,
  InvalidQuery: 400,
  InvalidBody: 400,
  InvalidHost: 400,
  Forbidden: 403,
  ForeignOrigin: 403,
  StaleForm: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Conflict: 409,
  PreconditionFailed: 412,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  Throttled: 429,
  NotImplemented: 501,
  Busy: 503
} as const

/** The request is refused. `body` is the answer's. */
export class HttpRefused extends Schema.TaggedError<HttpRefused>()("HttpRefused", {
  reason: Schema.Literals(Struct.keys(statuses)),
  body: Schema.Unknown,
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}) {
  get status(): number {
    return statuses[this.reason]
  }
}

export const notFound = (): HttpRefused => new HttpRefused({ reason: "NotFound", body: { detail: "Not found." } })
