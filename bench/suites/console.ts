/**
 * Pages of the console beside the API's answers to the same questions: one process, 100,000 sites in 2,500 regions, a
 * /8 with 100,000 children, and a rack of 40 devices, one of which has 300 ports.
 *
 * Both read with the same session, so the ratio is the price of a page: a goal is at most 2.5 times the CPU of the
 * answer (0.40 of the peer). `95th percentile` is the time of requests that come alone. With a Chromium the list is also
 * opened by a browser that has nothing in its cache.
 */
import { Pool, request } from "undici"
import { hasBrowser, openBrowser } from "../../test/support/Browser.ts"
import { password } from "../../test/support/Client.ts"
import {
  fillPrefixes,
  filledPrefix,
  fillRack,
  filledRack,
  fillSites,
  path as apiPath,
  newToken,
  place
} from "../Inventory.ts"
import { type Rackwire, startRackwire } from "../Rackwire.ts"
import { type Contender, type Figure, type Sample, type Suite, quantile } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

const clients = 8
const sites = 100_000
const regions = 2500
const prefixes = 100_000
const ports = 300

/** Requests of a job that come one after the other. */
const alone = 200

interface Job {
  readonly name: string
  readonly requests: number
  /** The n-th page, and the address of the API that answers the same. */
  readonly page: (n: number) => string
  readonly answer: (n: number) => string
}

const pagePath = apiPath.slice("/api".length)
const prefixPath = `/ipam/prefixes/${filledPrefix}/`
const devicePath = `/dcim/devices/${filledRack.device}/`
const rackPath = `/dcim/racks/${filledRack.rack}/`
const siteOf = (n: number) => `${place(n, sites)}/`

const jobs: ReadonlyArray<Job> = [
  { name: "list of 50", requests: 600, page: () => pagePath, answer: () => apiPath },
  { name: "detail", requests: 1500, page: (n) => pagePath + siteOf(n), answer: (n) => apiPath + siteOf(n) },
  { name: "form", requests: 1500, page: (n) => `${pagePath}${siteOf(n)}edit/`, answer: (n) => apiPath + siteOf(n) },
  { name: "prefix", requests: 200, page: () => prefixPath, answer: () => `/api${prefixPath}` },
  { name: "device", requests: 200, page: () => devicePath, answer: () => `/api${devicePath}` },
  { name: "rack", requests: 200, page: () => rackPath, answer: () => `/api${rackPath}` }
]

const coldFigures: ReadonlyArray<Figure> = [
  { name: "cold list: transfer", unit: "kB", more: false },
  { name: "cold list: requests", unit: "", more: false },
  { name: "cold list: layout shift", unit: "CLS", more: false }
]

const figures: ReadonlyArray<Figure> = [
  ...jobs.flatMap(({ name }) => [
    { name: `${name}: CPU`, unit: "µs a request", more: false },
    { name: `${name}: 95th percentile`, unit: "ms alone", more: false },
    { name: `${name}: size`, unit: "kB", more: false }
  ]),
  ...(hasBrowser ? coldFigures : [])
]

type Headers = Readonly<Record<string, string>>

const get = async (pool: Pool, path: string, headers: Headers): Promise<string> => {
  const reply = await pool.request({ method: "GET", path, headers })
  const text = await reply.body.text()
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode} ${text}`)
  return text
}

const run = async ({ name, requests }: Job, read: (n: number) => Promise<string>, pid: number) => {
  let next = 0
  const before = usageOf(pid).cpuSeconds
  const client = async () => {
    for (let n = next++; n < requests; n = next++) await read(n)
  }
  await Promise.all(Array.from({ length: clients }, client))
  const cpuSeconds = usageOf(pid).cpuSeconds - before
  const taken: Array<number> = []
  let bytes = 0
  for (let n = 0; n < alone; n++) {
    const began = performance.now()
    bytes = Buffer.byteLength(await read(requests + n))
    taken.push(performance.now() - began)
  }
  return {
    [`${name}: CPU`]: (cpuSeconds * 1e6) / requests,
    [`${name}: 95th percentile`]: quantile(taken, 0.95),
    [`${name}: size`]: bytes / 1000
  }
}

/** The cookie of a session of the superuser. */
const sessionOf = async (url: string): Promise<string> => {
  const token = "x".repeat(43)
  const reply = await request(`${url}/login/`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", cookie: `csrftoken=${token}` },
    body: new URLSearchParams({ username: "admin", password, csrfmiddlewaretoken: token }).toString()
  })
  await reply.body.dump()
  const cookie = [reply.headers["set-cookie"] ?? []].flat().find((each) => each.startsWith("sessionid="))
  if (cookie === undefined) throw new Error(`no session: ${reply.statusCode}`)
  return cookie.split(";")[0]!
}

/** The list in a browser that has nothing in its cache. */
const cold = async (url: string, cookie: string): Promise<Sample> => {
  const browser = await openBrowser()
  try {
    const context = await browser.newContext()
    await context.addCookies([{ name: "sessionid", value: cookie.slice("sessionid=".length), url }])
    const page = await context.newPage()
    const requests: Array<Promise<number>> = []
    page.on("requestfinished", (each) =>
      requests.push(
        each.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize)
      )
    )
    await page.goto(url + pagePath, { waitUntil: "networkidle" })
    const shift = await page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0
      const count = (list) => { for (const { value } of list.getEntries()) sum += value }
      new PerformanceObserver(count).observe({ type: "layout-shift", buffered: true })
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
    })`)
    const sizes = await Promise.all(requests)
    return {
      "cold list: transfer": sizes.reduce((sum, size) => sum + size, 0) / 1000,
      "cold list: requests": sizes.length,
      "cold list: layout shift": shift
    }
  } finally {
    await browser.close()
  }
}

interface Reader {
  readonly name: string
  readonly role: Contender["role"]
  readonly kind: "page" | "answer"
  readonly headers: Headers
  readonly more?: () => Promise<Sample>
}

const contender = ({ service, pid }: Rackwire, { name, role, kind, headers, more }: Reader): Contender => {
  const pool = new Pool(service.url, { connections: clients })
  return {
    name,
    role,
    usage: () => usageOf(pid()),
    turn: async () => {
      const samples: Array<Sample> = []
      for (const job of jobs) samples.push(await run(job, (n) => get(pool, job[kind](n), headers), pid()))
      if (more !== undefined) samples.push(await more())
      return Object.assign({}, ...samples) as Sample
    }
  }
}

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire({}, { roles: ["api"] })
  await fillSites(rackwire.sql, sites, regions)
  await fillPrefixes(rackwire.sql, prefixes)
  await fillRack(rackwire.sql, ports)
  await rackwire.sql.query("vacuum analyze")
  const { url } = rackwire.service
  const cookie = await sessionOf(url)
  const authorization = `Token ${await newToken(rackwire.service)}`
  return {
    title: `Pages of the console: ${clients} clients, one process, ${sites} sites`,
    figures,
    rounds: 5,
    contenders: [
      contender(rackwire, { name: "API, with a session", role: "peer", kind: "answer", headers: { cookie } }),
      contender(rackwire, { name: "API, with a token", role: "ours", kind: "answer", headers: { authorization } }),
      contender(rackwire, {
        ...{ name: "console", role: "ours", kind: "page", headers: { cookie, accept: "text/html" } },
        ...(hasBrowser && { more: () => cold(url, cookie) })
      })
    ],
    close: rackwire.close
  }
}
