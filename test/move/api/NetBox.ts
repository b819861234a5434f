/** A NetBox for tests: a server that answers as its REST API does, with the objects of a test. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"

type Row = Readonly<Record<string, unknown>> & { readonly id: number }

/** Answers a request itself; false if it leaves the answer to the NetBox. */
export type Instead = (path: string, response: ServerResponse, url: URL) => boolean

interface NetBox {
  readonly version: string
  /** Objects by endpoint, `dcim/sites`. */
  readonly objects: Readonly<Record<string, ReadonlyArray<Row>>>
  /** Answers in place of the usual answer, and returns true. */
  readonly instead?: Instead
  /** Most objects of a page. */
  readonly pageMax?: number
}

export const netBoxToken = "0123456789abcdef0123456789abcdef01234567"

/** Answers with JSON. */
export const reply = (response: ServerResponse, value: unknown, status = 200, headers = {}): true => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof value === "string" ? value : JSON.stringify(value))
  return true
}

const listOf = (base: string, rows: ReadonlyArray<Row>, url: URL, netBox: NetBox) => {
  const limit = Math.min(Number(url.searchParams.get("limit") ?? 50), netBox.pageMax ?? 1000)
  const offset = Number(url.searchParams.get("offset") ?? 0)
  // Release 3.1 orders by names alone.
  const isOrdered = netBox.version !== "3.1.11" && url.searchParams.get("ordering") === "id"
  const after = Number(url.searchParams.get("id__gt") ?? 0)
  const found = (isOrdered ? rows.toSorted((a, b) => a.id - b.id) : rows).filter(({ id }) => id > after)
  const next = new URL(url.pathname, base)
  next.search = `${new URLSearchParams({ ...Object.fromEntries(url.searchParams), offset: `${offset + limit}` })}`
  return {
    count: found.length,
    next: offset + limit < found.length ? next.href : null,
    previous: null,
    results: found.slice(offset, offset + limit)
  }
}

/** Starts it. `requests` has the paths that were requested, with their tokens. */
export const startNetBox = async (netBox: NetBox) => {
  const requests: Array<{ readonly path: string; readonly search: string; readonly token: string | undefined }> = []
  const answer = (request: IncomingMessage, response: ServerResponse): true => {
    const url = new URL(request.url ?? "/", base)
    const path = url.pathname.replace(/^\/api\/|\/$/g, "")
    requests.push({ path, search: url.search, token: request.headers.authorization })
    if (netBox.instead?.(path, response, url) === true) return true
    if (request.headers.authorization !== `Token ${netBoxToken}`)
      return reply(response, { detail: "Invalid token" }, 403)
    if (path === "status") return reply(response, { "netbox-version": netBox.version })
    const paths = Object.keys(netBox.objects)
    if (path === "") return reply(response, Object.fromEntries(paths.map((each) => [each.split("/")[0], "url"])))
    if (!path.includes("/")) {
      const own = paths.filter((each) => each.startsWith(`${path}/`))
      return reply(response, Object.fromEntries(own.map((each) => [each.slice(path.length + 1), "url"])))
    }
    const rows = netBox.objects[path]
    return rows === undefined ? reply(response, {}, 404) : reply(response, listOf(base, rows, url, netBox))
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const base = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`
  return {
    url: base,
    requests,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
