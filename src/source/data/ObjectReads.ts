/** Reads of objects of one endpoint: a single one by its address, several by their ids. */
import { Effect } from "effect"
import { inSlices } from "../../eventloop/Slices.ts"
import type { ApiAnswer, ApiRequests } from "./ApiRequests.ts"
import { type FetchedObject, absent } from "./FetchedObject.ts"
import { objectIn, pageIn } from "./ObjectJson.ts"
import { ValidatedObjects } from "./ValidatedObjects.ts"

/** Size of the cache of objects with an ETag, bytes. */
const validatedBytesMax = 8 * 1024 * 1024

/** Receives the answer for each object. */
export interface AnswerSink {
  readonly set: (id: string, answer: FetchedObject) => void
  /** Whether no more objects are wanted. */
  readonly isFull: () => boolean
}

/** The result of a list: answers, and the ids that need other requests. */
interface ListResult {
  readonly missing: ReadonlyArray<string>
  readonly next: "absent" | "list" | "each"
}

/** Reads the objects with the ids: at most so many as a list may have. */
type ReadObjects = (endpoint: string, ids: ReadonlyArray<string>, sink: AnswerSink) => Effect.Effect<void>

export const objectReads = ({ get }: Pick<ApiRequests, "get">): ReadObjects => {
  const one = readOne(get)
  const each: ReadObjects = (endpoint, ids, sink) =>
    Effect.forEach(
      ids,
      (id) => (sink.isFull() ? Effect.void : Effect.map(one(endpoint, id), (found) => sink.set(id, found))),
      { discard: true }
    )
  /** Ends: every list leaves fewer ids, or is the last one for its ids. */
  const several: ReadObjects = (endpoint, ids, sink) =>
    Effect.gen(function* () {
      if (ids.length < 2 || sink.isFull()) return yield* each(endpoint, ids, sink)
      const query = ids.map((id) => `id=${id}`).join("&")
      const listed = yield* get(`${endpoint}?${query}&limit=${ids.length}`)
      if (listed._tag === "Absent" && listed.reason === "TooLarge") {
        const half = Math.ceil(ids.length / 2)
        yield* several(endpoint, ids.slice(0, half), sink)
        return yield* several(endpoint, ids.slice(half), sink)
      }
      const { missing, next } = yield* answersIn(listed, endpoint, ids, sink)
      if (next === "list") return yield* several(endpoint, missing, sink)
      if (next === "each") return yield* each(endpoint, missing, sink)
    })
  return several
}

/** Reads one object by its address; one that NetBox confirms is taken from the cache. */
const readOne = (get: ApiRequests["get"]) => {
  const validated = new ValidatedObjects(validatedBytesMax)
  return Effect.fnUntraced(function* (endpoint: string, id: string) {
    const path = `${endpoint}${id}/`
    const kept = validated.get(path)
    const answer = yield* get(path, kept?.etag)
    const place = `GET /api/${path}`
    if (answer._tag === "Unchanged")
      return kept?.found ?? absent("Malformed", `${place} answers with 304, though no ETag was sent.`)
    if (answer._tag === "Absent") {
      if (answer.reason === "NotFound") validated.delete(path)
      return answer
    }
    const object = yield* inSlices(objectIn(answer.text, place))
    if ("_tag" in object) return object
    if (object.id !== id) return absent("Malformed", `${place} answers with another object.`)
    validated.set(path, answer.etag, object.found)
    return object.found
  })
}

/** Gives the objects of a list to the sink. */
const answersIn = Effect.fnUntraced(function* (
  listed: ApiAnswer,
  endpoint: string,
  ids: ReadonlyArray<string>,
  sink: AnswerSink
) {
  const place = `GET /api/${endpoint}`
  const ended = (answer: FetchedObject, of = ids): ListResult => {
    for (const id of of) sink.set(id, answer)
    return { missing: [], next: "absent" }
  }
  if (listed._tag === "Absent")
    return ended(listed.reason === "NotFound" ? absent("NoEndpoint", `${place} answers with 404.`) : listed)
  const page = listed._tag === "Body" ? yield* inSlices(pageIn(listed.text)) : undefined
  if (page === undefined) return ended(absent("Malformed", `${place} answers with no page of objects.`))
  const missing = new Set(ids)
  const objects = page.objects.slice(0, ids.length)
  for (const text of objects) {
    const object = yield* inSlices(objectIn(text, place))
    if (!("_tag" in object) && missing.delete(object.id)) sink.set(object.id, object.found)
  }
  const foundCount = ids.length - missing.size
  // Some object is another one, or cannot be read: the list takes no ids, or the answer to one id has the reason.
  if (foundCount < objects.length) return { missing: [...missing], next: "each" } satisfies ListResult
  // NetBox cuts pages at MAX_PAGE_SIZE.
  if (page.hasMore) return { missing: [...missing], next: foundCount === 0 ? "each" : "list" } satisfies ListResult
  return ended(absent("NotFound", `${place} has no object with the id, or none for the token.`), [...missing])
})
