/** The objects of an endpoint, page by page. */
import { Effect } from "effect"
import { isDictionary } from "../../../inventory/Field.ts"
import { type ApiClient, ApiFailed } from "./Client.ts"

export type ApiObject = Readonly<Record<string, unknown>> & { readonly id: number }

interface Page {
  readonly objects: ReadonlyArray<ApiObject>
  readonly next: string | undefined
  readonly count: number
}

/** Objects that are requested at a time. */
const pageObjects = 250

/** Rendered contexts are computed for each object, and are no data of their own. */
const excluded = "exclude=config_context"

const isObject = (value: unknown): value is ApiObject =>
  isDictionary(value) && Number.isSafeInteger(value["id"]) && Number(value["id"]) > 0

const pageOf = (path: string, answer: unknown): Effect.Effect<Page, ApiFailed> => {
  const { results, next, count } = isDictionary(answer) ? answer : {}
  return Array.isArray(results) && results.every(isObject)
    ? Effect.succeed({ objects: results, next: typeof next === "string" ? next : undefined, count: Number(count) })
    : Effect.fail(new ApiFailed({ reason: "NoList", message: `GET /api/${path}/ answers with no page of objects.` }))
}

const unusable = (path: string, problem: string) =>
  Effect.fail(new ApiFailed({ reason: "Unusable", message: `GET /api/${path}/ ${problem}.` }))

interface Reading<E, R> {
  readonly client: ApiClient
  readonly path: string
  /** Whether lists are in the order of ids on request: releases before 3.2 ignore `ordering`. */
  readonly isOrdered: boolean
  readonly use: (objects: ReadonlyArray<ApiObject>, count: number) => Effect.Effect<void, E, R>
}

/**
 * Passes all objects of an endpoint. In the order of ids each page begins behind the last id, so that objects that are
 * deleted meanwhile move no others to a page that was read.
 */
export const eachPage = <E, R>({
  client,
  path,
  isOrdered,
  use
}: Reading<E, R>): Effect.Effect<void, ApiFailed | E, R> =>
  isOrdered ? eachByIds({ client, path, use }) : eachByLinks({ client, path, use })

const eachByIds = Effect.fnUntraced(function* <E, R>({ client, path, use }: Omit<Reading<E, R>, "isOrdered">) {
  let [after, limit, read] = [0, pageObjects, 0]
  while (true) {
    const target = `/api/${path}/?limit=${limit}&ordering=id&id__gt=${after}&${excluded}`
    const answer = yield* client.get(target).pipe(
      // A page of fewer objects may have few enough bytes.
      Effect.catchIf(
        ({ reason }) => reason === "TooMuch" && limit > 1,
        () => Effect.succeed(undefined)
      ),
      Effect.mapError((error) => (error.reason === "TooMuch" ? behind(error, after) : error))
    )
    if (answer === undefined) {
      limit = Math.ceil(limit / 4)
      continue
    }
    const { objects, next, count } = yield* pageOf(path, answer)
    let last = after
    for (const { id } of objects) {
      if (id <= last) return yield* unusable(path, `ignores ordering=id or id__gt=${after}: it has ${id} after ${last}`)
      last = id
    }
    yield* use(objects, read + count)
    if (next === undefined || objects.length === 0) return
    ;[after, read] = [last, read + objects.length]
  }
})

const behind = ({ reason, message }: ApiFailed, after: number): ApiFailed =>
  new ApiFailed({ reason, message: `${message} It is that of the first object with an id above ${after}.` })

/** Pages as the server links them, within its origin. */
const eachByLinks = Effect.fnUntraced(function* <E, R>({ client, path, use }: Omit<Reading<E, R>, "isOrdered">) {
  const seen = new Set<number>()
  let target = `/api/${path}/?limit=${pageObjects}&${excluded}`
  while (true) {
    const { objects, next, count } = yield* pageOf(path, yield* client.get(target))
    const others = objects.filter(({ id }) => !seen.has(id))
    for (const { id } of others) seen.add(id)
    yield* use(others, count)
    if (next === undefined || others.length === 0) return
    const url = URL.canParse(next, client.url) ? new URL(next, client.url) : undefined
    const { origin } = new URL(client.url)
    if (url?.origin !== origin)
      return yield* unusable(path, `continues at ${url?.origin ?? "no address"}, another origin than ${origin}`)
    target = url.href
  }
})
