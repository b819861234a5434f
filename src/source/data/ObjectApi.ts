/**
 * Responsible for: the objects of events of one source, as its REST API gives them: `data` as NetBox would have sent it.
 *
 * Guarantees: `fetch` never fails and ends by its deadline, with one answer for each object; several events of an object
 * are one request, and several objects of a type one request. An API that is slow, hostile or away delays and costs no
 * more than the limits here and in ApiRequests.ts say, and no text of it blocks the event loop.
 *
 * Does not: decide what an event carries if its object is absent or newer (Freshness.ts), follow addresses that the API
 * names, or write anything.
 */
import { Clock, Effect } from "effect"
import { keepNewest } from "../../eventloop/KeepNewest.ts"
import { Pace } from "../../eventloop/Pace.ts"
import { Answers, tooMuch } from "./Answers.ts"
import { type ApiOptions, openRequests, requestsMax } from "./ApiRequests.ts"
import { openEndpoints } from "./Endpoints.ts"
import { type AbsentObject, type FetchedObject, type ObjectName, absent } from "./FetchedObject.ts"
import { type AnswerSink, objectReads } from "./ObjectReads.ts"

/** Time for all objects of a call, milliseconds. */
const usualDeadlineMillis = 3000

/** Most objects of a request: with ids of 19 digits the query has some 1200 characters. */
const idsMax = 50

/** Most characters of objects in the answers of a call. */
const fetchedCharsMax = 32 * 1024 * 1024

/** Most types that the token may not view. */
const forbiddenMax = 1000

export interface ObjectApi {
  /** One answer for each object, in their order; the objects without an answer by the deadline are absent. */
  readonly fetch: (
    objects: ReadonlyArray<ObjectName>,
    deadlineMillis?: number
  ) => Effect.Effect<ReadonlyArray<FetchedObject>>
}

/** Opens the API of a source, until the scope ends. Certificates are verified. */
export const openObjectApi = Effect.fnUntraced(function* (options: ApiOptions) {
  const { get, backOff } = yield* openRequests(options)
  const endpointOf = yield* openEndpoints({ get })
  const forbidden = new ForbiddenTypes((yield* Pace).objectApi.forbiddenKeptMillis)
  const read = objectReads({ get })
  /** While the breaker is half open, the first request is the probe, and the others follow its success. */
  const concurrencyAt = (nowMillis: number) => (backOff.isHalfOpen(nowMillis) ? 1 : requestsMax)

  const readType = Effect.fnUntraced(function* (type: string, ids: ReadonlyArray<string>, sink: AnswerSink) {
    const nowMillis = yield* Clock.currentTimeMillis
    const endpoint = forbidden.at(type, nowMillis) ?? (yield* endpointOf(type))
    if (endpoint._tag === "Absent") return ids.forEach((id) => sink.set(id, endpoint))
    const set: AnswerSink["set"] = (id, answer) => {
      sink.set(id, answer)
      if (answer._tag === "Absent" && answer.reason === "Forbidden") forbidden.add(type, answer, nowMillis)
    }
    yield* Effect.forEach(
      Array.from({ length: Math.ceil(ids.length / idsMax) }, (_, at) => ids.slice(at * idsMax, (at + 1) * idsMax)),
      (part) => read(endpoint.path, part, { set, isFull: sink.isFull }),
      { concurrency: concurrencyAt(nowMillis), discard: true }
    )
  })

  const fetch: ObjectApi["fetch"] = (objects, deadlineMillis = usualDeadlineMillis) =>
    Effect.gen(function* () {
      const answers = new Answers(fetchedCharsMax)
      const work = Effect.forEach(
        Map.groupBy(objects, ({ type }) => type),
        ([type, named]) => {
          const ids = [...new Set(named.map(({ objectId }) => objectId))].filter(isId)
          const set: AnswerSink["set"] = (objectId, answer) => answers.set({ type, objectId }, answer)
          return readType(type, ids, { set, isFull: () => answers.isFull })
        },
        { concurrency: concurrencyAt(yield* Clock.currentTimeMillis), discard: true }
      )
      yield* Effect.timeoutOrElse(work, { duration: deadlineMillis, orElse: () => Effect.void })
      const late = absent("Timeout", `The API has not answered within ${deadlineMillis} ms.`)
      const unanswered = (id: string) => (isId(id) ? (answers.isFull ? tooMuch : late) : noId)
      return objects.map((each) => answers.get(each) ?? unanswered(each.objectId))
    })
  return { fetch } satisfies ObjectApi
})

const isId = (objectId: string): boolean => /^[1-9]\d{0,18}$/.test(objectId)

const noId = absent("NotFound", "The id of the object is no id of NetBox.")

/** Types whose objects the token may not view: they are not requested for a while. */
class ForbiddenTypes {
  private readonly keptMillis: number
  private readonly types = new Map<string, { readonly answer: AbsentObject; readonly untilMillis: number }>()

  constructor(keptMillis: number) {
    this.keptMillis = keptMillis
  }

  add(type: string, answer: AbsentObject, nowMillis: number): void {
    this.types.delete(type)
    this.types.set(type, { answer, untilMillis: nowMillis + this.keptMillis })
    keepNewest(this.types, forbiddenMax)
  }

  at(type: string, nowMillis: number): AbsentObject | undefined {
    const found = this.types.get(type)
    return found !== undefined && nowMillis < found.untilMillis ? found.answer : undefined
  }
}
