/** Parameters of a query that are no filters. */
import { Effect } from "effect"
import { flag } from "../../inventory/ObjectType.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Request } from "../wire/Request.ts"

/** The value of a parameter: of several with one name the last counts, as in Django. Undefined if there is none. */
export const parameterOf = (query: URLSearchParams, name: string): string | undefined => query.getAll(name).at(-1)

const truth = flag({ default: false })

/** Whether a parameter is true; `usual` if it is absent. Fails with 400 for a value that is no boolean. */
export const isSet = (
  { url }: Pick<Request, "url">,
  name: string,
  usual: boolean
): Effect.Effect<boolean, HttpRefused> => {
  const asked = parameterOf(url.searchParams, name)
  if (asked === undefined) return Effect.succeed(usual)
  const parsed = truth.parse(asked)
  if ("value" in parsed) return Effect.succeed(parsed.value === true)
  return Effect.fail(new HttpRefused({ reason: "InvalidQuery", body: { [name]: parsed.errors } }))
}
