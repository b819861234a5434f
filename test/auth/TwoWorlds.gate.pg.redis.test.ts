/**
 * Law: for two services that differ only in objects that a user may not see, everything that the user is shown or sent
 * about the past is the same, to the letter: changes, explanations, journeys, deliveries, files, pages and streams.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type SeenWorld, makeSeenWorld } from "./SeenWorld.ts"
import { thorough } from "../support/Seed.ts"

const words = ["alpha", "omegaomega"] as const

let worlds: ReadonlyArray<SeenWorld>

beforeAll(async () => {
  worlds = await Promise.all([
    makeSeenWorld({ word: words[0], cable: "connected", more: 0, isBeside: true }),
    makeSeenWorld({ word: words[1], cable: "planned", more: 250, isBeside: false })
  ])
})

afterAll(() => Promise.all(worlds.map((world) => world.stop())))

interface Question {
  /** The same in both worlds. */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: unknown
  readonly accept?: "text/html" | "text/event-stream"
}

const get = (path: string, name = path): Question => ({ name, method: "GET", path })
const page = (path: string, name = path): Question => ({ ...get(path, `page ${name}`), accept: "text/html" })
const live = (path: string): Question => ({ ...get(path, `stream ${path}`), accept: "text/event-stream" })
const post = (path: string, body: unknown): Question => ({
  ...{ name: `${path} ${JSON.stringify(body)}`, method: "POST", path, body }
})

const log = "/api/extras/object-changes/"
const hooks = "/api/extras/webhooks/"

const ofChanges = ({ changes, sites }: SeenWorld): ReadonlyArray<Question> => [
  ...["", "?limit=0", "?start=0&limit=0", "?limit=0&ordering=object_repr"].map((query) => get(log + query)),
  ...words.map((word) => get(`${log}?limit=0&q=${word}`)),
  ...words.map((word) => get(`${log}?limit=0&object_repr__ic=${word}`)),
  ...["csv", "json", "yaml"].map((format) => get(`${log}export/?format=${format}`)),
  ...changes.flatMap((id) => [get(`${log}${id}/`), get(`${log}${id}/explain/`)]),
  ...changes.flatMap((id) => [
    page(`/extras/object-changes/${id}/`),
    ...sites.map((site) => page(`/dcim/sites/${site}/changelog/`)),
    page(`/extras/object-changes/${id}/restore/`)
  ]),
  ...["", `?q=${words[0]}`].map((query) => page(`/extras/object-changes/${query}`)),
  page("/")
]

/** After all commits. */
const lastLsn = "FF/0"

const ofJourneys = ({ changes, positions }: SeenWorld): ReadonlyArray<Question> => {
  const journeys = "/api/extras/journeys/"
  // Hidden changes too: their ids are known.
  const ids = Array.from({ length: changes.at(-1)! }, (_, at) => at + 1)
  return [
    get(journeys),
    page("/logging/journeys/"),
    get(`${journeys}?lsn=${lastLsn}`),
    page(`/logging/journeys/?q=${lastLsn}`),
    ...ids.map((id) => get(`${journeys}?change=${id}`)),
    ...positions.flatMap((position, at) => [
      get(`${journeys}${position}/`, `journey ${at}`),
      page(`/logging/journeys/${position}/`, `journey ${at}`)
    ])
  ]
}

const ofWebhooks = ({ webhooks, changes, sites, deliveries }: SeenWorld): ReadonlyArray<Question> => {
  const types = ["dcim.site", "dcim.device", "dcim.interface", "tenancy.contactassignment"]
  const conditions = [
    { attr: "tenant.name", op: "regex", value: "^alpha" },
    { attr: "display", op: "regex", value: "^alpha" },
    { attr: "snapshots.postchange.tags", op: "contains", value: "alpha" },
    { attr: "tags", op: "changed" },
    { attr: "connected_endpoints_reachable", value: true },
    {
      and: [
        { attr: "tenant.name", op: "regex", value: "^a" },
        { attr: "name", value: "Never" }
      ]
    }
  ]
  const template = {
    body_template: "{{ data | tojson }} {{ snapshots | tojson }}",
    payload_url: "http://receiver.test/"
  }
  return [
    ...webhooks.flatMap((id) => [
      get(`${hooks}${id}/skipped/`),
      page(`/extras/webhooks/${id}/skipped/`),
      page(`/extras/webhooks/${id}/`),
      live(`/extras/webhooks/${id}/`)
    ]),
    ...conditions.map((each) => post(`${hooks}history/`, { content_types: types, conditions: each })),
    ...conditions.flatMap((each) =>
      webhooks.map((webhook) => post(`${hooks}history/`, { webhook, content_types: types, conditions: each }))
    ),
    ...changes.flatMap((id) => [
      post(`${hooks}trial/`, { content_types: types, object_change: id, ...template }),
      ...conditions.map((each) => post(`${hooks}trial/`, { content_types: types, object_change: id, conditions: each }))
    ]),
    get("/api/extras/deliveries/?limit=0"),
    get("/api/extras/deliveries/export/?format=json"),
    get("/api/extras/deliveries/facets/"),
    page("/extras/deliveries/"),
    live("/extras/deliveries/"),
    ...sites.map((site) => page(`/dcim/sites/${site}/deliveries/`)),
    ...deliveries.flatMap((id) => [
      get(`/api/extras/deliveries/${id}/`),
      get(`/api/extras/deliveries/${id}/request/`),
      page(`/extras/deliveries/${id}/`),
      live(`/extras/deliveries/${id}/`)
    ])
  ]
}

/** The answer to a browser; of a stream the first event. */
const answered = async (
  { api, readers, plain }: SeenWorld,
  { method, path, body, accept }: Question,
  at: number
): Promise<string> => {
  const stop = new AbortController()
  const reply = await fetch(api.service.url + path, {
    method,
    redirect: "manual",
    signal: stop.signal,
    headers: {
      authorization: `Token ${readers[at % readers.length]!.token}`,
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { "content-type": "application/json" })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const isStream = reply.headers.get("content-type") === "text/event-stream"
  const text = isStream ? await firstEvent(reply) : await reply.text()
  stop.abort()
  return plain(`${reply.status} ${reply.headers.get("location") ?? ""} ${text}`)
}

const firstEvent = async ({ body }: Response): Promise<string> => {
  let text = ""
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (/\ndata: .*\n\n/s.test(text)) return text
  }
  return text
}

/** Names of the questions that the worlds answer differently, with the first difference. */
const differences = async (ask: (world: SeenWorld) => ReadonlyArray<Question>): Promise<ReadonlyArray<string>> => {
  const [questions, others] = worlds.map(ask) as [ReadonlyArray<Question>, ReadonlyArray<Question>]
  expect(questions.map(({ name }) => name)).toEqual(others.map(({ name }) => name))
  const different: Array<string> = []
  for (const [at, question] of questions.entries()) {
    const [one, other] = await Promise.all([answered(worlds[0]!, question, at), answered(worlds[1]!, others[at]!, at)])
    expect([question.name, /^(200|302|303|400|403|404|409)$/.test(one.slice(0, 3))]).toEqual([question.name, true])
    if (one === other) continue
    const from = [...one].findIndex((char, place) => char !== other[place])
    const around = (text: string) => text.slice(Math.max(0, from - 60), from + 60)
    different.push(`${question.name}: …${around(one)}… / …${around(other)}…`)
  }
  return different
}

it("are the same to a user in the change log, its files and its pages", async () => {
  expect(await differences(ofChanges)).toEqual([])
})

it("are the same to a user in columns of snapshots, which the database cuts", async () => {
  const columns = page("/extras/object-changes/?columns=prechange_data,postchange_data")
  for (const world of worlds) {
    const text = await answered(world, columns, 0)
    expect(text).toContain("Seen tag")
    for (const word of words) expect(text).not.toContain(word)
  }
})

it("are the same to a user in journeys, by every clue", async () => {
  expect(await differences(ofJourneys)).toEqual([])
})

thorough("are the same to a user in skipped changes, history, trials, deliveries and their streams", async () => {
  expect(await differences(ofWebhooks)).toEqual([])
})

it("are the same to the receiver of a webhook with that user as its scope", () => {
  const [one, other] = worlds.map(({ receiver, plain }) => receiver.received.map(({ body }) => plain(body.toString())))
  expect(one!.length).toBeGreaterThan(8)
  expect(other).toEqual(one)
  for (const body of [...one!, ...other!]) for (const word of words) expect(body).not.toContain(word)
})
