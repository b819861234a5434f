/** Answers of the service in this worker, compared with the replies that its routes declare. */
import { Result, Schema } from "effect"
import { makeRouter, methodOf } from "../../src/http/Route.ts"
import { routes } from "../../src/Service.ts"
import type { Call, Reply } from "./Client.ts"

const find = makeRouter(routes)

/** Returns the reply. Throws if it grants the request and is not as declared, or has properties that are not. */
export const asDeclared = <A>(method: string, path: string, reply: Reply<A>): Reply<A> => {
  const { status, json, headers } = reply
  const route = find(new URL(path, "http://localhost").pathname)?.route
  const declared = route?.methods[methodOf(method) ?? "GET"]?.declared
  if (declared?.reply === undefined || status >= 300) return reply
  // A reply is declared for JSON; some routes answer otherwise too.
  const others = (route?.produces ?? []).filter((type) => type !== "application/json")
  if (others.some((type) => headers.get("content-type")?.startsWith(type) === true)) return reply
  const wanted = declared.status ?? 200
  if (status !== wanted) throw new Error(`${method} ${path} declares ${wanted} and answers ${status}`)
  const schema = declared.reply as Schema.ConstraintDecoder<unknown>
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(json)
  if (Result.isFailure(decoded)) throw new Error(`${method} ${path} answers otherwise: ${decoded.failure.message}`)
  return reply
}

export const callDeclared =
  (call: Call): Call =>
  async (method, path, body) =>
    asDeclared(method, path, await call(method, path, body))
