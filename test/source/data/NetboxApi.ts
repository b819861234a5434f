/** A REST API on a real socket that answers as NetBox does, or as the test says. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { Settings } from "../../../src/Config.ts"
import type { FetchedObject } from "../../../src/source/data/FetchedObject.ts"
import { type ObjectApi, openObjectApi } from "../../../src/source/data/ObjectApi.ts"
import { surroundings } from "../../support/Surroundings.ts"

export type Answering = (request: IncomingMessage, response: ServerResponse) => unknown

export const json = (response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>> = {}) =>
  response
    .writeHead(200, { "content-type": "application/json", ...headers })
    .end(typeof value === "string" ? value : JSON.stringify(value))

/** Objects at `/api/dcim/sites/`: their list by ids, at most so many a page, and each of them. */
export const sites =
  (pageMax = 1000, idsOf: (id: number) => boolean = (id) => id < 1000): Answering =>
  (request, response) => {
    const url = new URL(request.url!, "http://netbox")
    const site = (id: number) => ({ id, name: `site ${id}`, last_updated: "2026-11-29T02:00:00.123456Z" })
    const id = /^\/api\/[a-z/-]+\/(\d+)\/$/.exec(url.pathname)?.[1]
    if (id !== undefined) return idsOf(Number(id)) ? json(response, site(Number(id))) : response.writeHead(404).end()
    const ids = url.searchParams.getAll("id").map(Number).filter(idsOf)
    const shown = ids.slice(0, Math.min(pageMax, Number(url.searchParams.get("limit"))))
    const next = shown.length < ids.length ? "http://evil.example/next" : null
    json(response, { count: ids.length, next, previous: null, results: shown.map(site) })
  }

export const startNetbox = async () => {
  let answering: Answering = sites()
  const requests: Array<IncomingMessage> = []
  const server = createServer((request, response) => {
    requests.push(request)
    answering(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    answers: (next: Answering) => {
      answering = next
      requests.length = 0
    },
    /** Method and target of the requests since the last `answers`. */
    requests: () => requests.map(({ method, url }) => `${method} ${url}`),
    headers: () => requests.at(-1)!.headers,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

interface Opening {
  readonly token?: string
  readonly pace?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs with the API of a source at the address. */
export const withApi = <A>(
  apiUrl: string,
  run: (fetch: (...args: Parameters<ObjectApi["fetch"]>) => Promise<Awaited<ReturnType<typeof fetched>>>) => Promise<A>,
  { token = "0123456789abcdef", pace = 1, environment = {} }: Opening = {}
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(openObjectApi({ apiUrl, token: Redacted.make(token) }), (api) =>
        Effect.promise(() => run((...args) => fetched(api, args)))
      )
    ).pipe(
      Effect.provide(Settings.layer.pipe(Layer.provideMerge(surroundings(environment, pace).layer)))
    ) as Effect.Effect<A, never, Exclude<Scope.Scope, Scope.Scope>>
  )

const fetched = ({ fetch }: ObjectApi, args: Parameters<ObjectApi["fetch"]>) => Effect.runPromise(fetch(...args))

export const site = (id: number | string) => ({ type: "dcim.site", objectId: String(id) })

/** The name of a site that was found, or the reason why it was not. */
export const shown = (answer: FetchedObject): string =>
  answer._tag === "Found" ? (JSON.parse(answer.json) as { readonly name: string }).name : answer.reason
