/**
 * The endpoints of object types at one API: by the declarations, and otherwise as the API itself lists them. An endpoint
 * is cached, and so is its absence.
 */
import { Clock, Effect } from "effect"
import { keepNewest } from "../../eventloop/KeepNewest.ts"
import { Pace } from "../../eventloop/Pace.ts"
import { nestingMax } from "../../inventory/Unreadable.ts"
import { isNestedDeeper } from "../../postgres/JsonNesting.ts"
import type { ApiRequests } from "./ApiRequests.ts"
import { endpointInRoot, endpointInTypes, knownEndpoint, namesOfType, pluginRoot } from "./Endpoint.ts"
import { type AbsentObject, absent } from "./FetchedObject.ts"
import { objectCharsMax } from "./ObjectJson.ts"

/** Most types whose endpoints are cached. */
const typesMax = 1000

/** The lists of object types, of later releases first: only these name endpoints. */
const typeLists = ["core/object-types/", "extras/object-types/"]

interface CachedEndpoint {
  /** Undefined where the API has none. */
  readonly path: string | undefined
  readonly untilMillis: number
}

/** The path below `/api/`, or the reason why it is unknown. */
type EndpointAnswer = { readonly _tag: "Endpoint"; readonly path: string } | AbsentObject

export const openEndpoints = Effect.fnUntraced(function* ({ get }: Pick<ApiRequests, "get">) {
  const { endpointKeptMillis, noEndpointKeptMillis } = (yield* Pace).objectApi
  const cached = new Map<string, CachedEndpoint>()

  /** The value of an answer; undefined where the API has nothing at the path. Fails with all other reasons. */
  const read = (path: string): Effect.Effect<unknown, AbsentObject> =>
    Effect.flatMap(get(path), (answer): Effect.Effect<unknown, AbsentObject> => {
      if (answer._tag === "Body") return Effect.succeed(valueOf(answer.text))
      if (answer._tag === "Unchanged" || answer.reason === "NotFound") return Effect.succeed(undefined)
      // A list that the token may not read names nothing.
      return answer.reason === "Forbidden" ? Effect.succeed(undefined) : Effect.fail(answer)
    })

  const discover = Effect.fnUntraced(function* (names: readonly [string, string]) {
    const [app, model] = names
    for (const list of typeLists) {
      const path = endpointInTypes(yield* read(`${list}?app_label=${app}&model=${model}`), names)
      if (path !== undefined) return path
    }
    const own = endpointInRoot(yield* read(`${app}/`), `${app}/`, model)
    if (own !== undefined) return own
    const root = pluginRoot(yield* read("plugins/"), app)
    return root === undefined ? undefined : endpointInRoot(yield* read(root), root, model)
  })

  return (type: string): Effect.Effect<EndpointAnswer> =>
    Effect.gen(function* () {
      const known = knownEndpoint(type)
      if (known !== undefined) return { _tag: "Endpoint", path: known } as const
      const nowMillis = yield* Clock.currentTimeMillis
      const kept = cached.get(type)
      if (kept !== undefined && nowMillis < kept.untilMillis) return answerOf(type, kept.path)
      const names = namesOfType(type)
      const path = names === undefined ? undefined : yield* discover(names)
      const keptMillis = path === undefined ? noEndpointKeptMillis : endpointKeptMillis
      cached.delete(type)
      cached.set(type, { path, untilMillis: nowMillis + keptMillis })
      keepNewest(cached, typesMax)
      return answerOf(type, path)
    }).pipe(Effect.catch((failure) => Effect.succeed(failure)))
})

const answerOf = (type: string, path: string | undefined): EndpointAnswer =>
  path === undefined
    ? absent("NoEndpoint", `The API has no endpoint for ${type.slice(0, 200)}.`)
    : { _tag: "Endpoint", path }

const valueOf = (text: string): unknown => {
  if (text.length > objectCharsMax || isNestedDeeper(text, nestingMax)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
