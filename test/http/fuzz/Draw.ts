/** One request, from a seed, its number and its possible senders alone. */
import { routes } from "../../../src/Service.ts"
import { type Route, isPage } from "../../../src/http/Route.ts"
import type { ObjectType } from "../../../src/inventory/ObjectType.ts"
import { filterNames } from "../../../src/inventory/derive/filter/FilterNames.ts"
import { Random } from "../../template/fuzz/Random.ts"
import { bodyFor, isWrite } from "./Bodies.ts"
import { hostileText } from "./Hostile.ts"
import { type Actor, type World, actors, tokens } from "./World.ts"

export interface Drawn {
  readonly actor: Actor
  readonly method: string
  /** Path and query as they stand in the request line. */
  readonly path: string
  /** Names and values in turn. */
  readonly headers: ReadonlyArray<string>
  readonly body: Buffer | undefined
}

/** A superuser reaches more code than the others. */
export const mostlySuperuser: ReadonlyArray<Actor> = [
  ...actors,
  "few",
  ...Array.from({ length: 6 }, () => "superuser" as const)
]

export const draw = (
  seed: number,
  number: number,
  world: World,
  senders: ReadonlyArray<Actor> = mostlySuperuser
): Drawn => {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b))
  // The first numbers of near seeds are near each other.
  for (let turn = 0; turn < 3; turn++) random.next()
  const [route, known] = random.pick(random.chance(0.8) ? ofApi : pages)
  const type = typeof route.access === "string" ? undefined : route.access
  const actor = random.pick(senders)
  const method = random.chance(0.85) ? known : random.pick(methods)
  const { content, type: contentType } = bodyFor(random, route, type, method, world)
  const headers = headersOf(random, actor, contentType)
  // A wrong filter in the query refuses a write before its body is read.
  const query = random.chance(isWrite(method) ? 0.8 : 0.3) ? "" : queryOf(random, type)
  const path = `${pathOf(random, route, type, world)}${query}`
  return { actor, method, path, headers, body: content }
}

/** Each with its method: a route of one method, such as an import, would get as many requests as one of six. */
const endpointsOf = (some: ReadonlyArray<Route>): ReadonlyArray<readonly [route: Route, method: string]> =>
  some.flatMap((route) => Object.keys(route.methods).map((method) => [route, method] as const))

/** There are more pages than routes of the API, and a page does less. */
const [pages, ofApi] = [endpointsOf(routes.filter(isPage)), endpointsOf(routes.filter((route) => !isPage(route)))]

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]

const segments = [
  "0",
  "-1",
  "1",
  "999999999",
  "9".repeat(40),
  "x",
  "%00",
  "%ff",
  "..",
  "%2e%2e",
  "1.5",
  "__proto__",
  ";",
  "%0d%0a"
]

const pathOf = (random: Random, { path }: Route, type: ObjectType | undefined, world: World): string => {
  const ids = type === undefined ? [1] : world.existing(type.id)
  const filled = path.replaceAll(/:\w+/g, () =>
    random.chance(0.8) && ids.length > 0 ? `${random.pick(ids)}` : random.pick(segments)
  )
  if (!random.chance(0.04)) return filled
  return random.pick([
    filled.slice(0, -1),
    `/${filled}`,
    `${filled}%00`,
    filled.replace("/api", "//api"),
    filled.replaceAll("/", "//"),
    `${filled}${random.pick(segments)}/`,
    `http://elsewhere.example${filled}`,
    "*",
    "/\\..\\",
    `/${"x".repeat(5000)}/`
  ])
}

const plainNames =
  "limit offset start ordering brief fields omit exclude include format export strict dry_run filter filter_id q id cf_x cf_x__regex tag __proto__ constructor".split(
    " "
  )

const names = new Map<ObjectType, ReadonlyArray<string>>()

const namesOf = (type: ObjectType): ReadonlyArray<string> => {
  const known = names.get(type) ?? filterNames(type)
  names.set(type, known)
  return known
}

const queryOf = (random: Random, type: ObjectType | undefined): string => {
  const pairs = random.many(0, random.chance(0.05) ? 60 : 4, () => {
    const name =
      type === undefined || random.chance(0.25)
        ? random.chance(0.9)
          ? random.pick(plainNames)
          : hostileText(random)
        : random.pick(namesOf(type))
    return random.many(
      1,
      random.chance(0.03) ? 80 : 2,
      () => `${encoded(random, name)}=${encoded(random, hostileText(random))}`
    )
  })
  // Node refuses longer heads with 431 itself.
  return `?${pairs.flat().join("&").slice(0, 12_000)}`
}

const encoded = (random: Random, text: string): string => {
  const whole = text.toWellFormed()
  if (random.chance(0.97)) return encodeURIComponent(whole)
  return random.pick(["%", "%zz", "%ff", "%00", "%c0%80", "%ed%a0%80", "+", "", "&", "=", "%u0041"])
}

const hosts = [
  "localhost",
  "[",
  "a b",
  "",
  "x:99999",
  "[::1]:80",
  "evil.example",
  "x".repeat(300),
  "é".normalize("NFD").slice(0, 1),
  "a%00",
  "1.2.3.4.5"
]

/** A value that Node sends: no other byte than Latin 1 without control characters. */
const headerText = (random: Random): string =>
  // oxlint-disable-next-line no-control-regex
  hostileText(random)
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?")
    .slice(0, 2000)

const others: ReadonlyArray<(random: Random) => readonly [name: string, value: string]> = [
  (random) => [
    "Accept",
    random.pick([
      "*/*",
      "text/html",
      "application/json;version=9",
      "application/yaml",
      "x",
      "application/json; indent=99999",
      ",,;q=",
      headerText(random)
    ])
  ],
  (random) => ["If-Match", random.chance(0.5) ? "*" : headerText(random)],
  (random) => ["X-Forwarded-For", headerText(random)],
  (random) => ["X-Forwarded-Host", headerText(random)],
  (random) => ["X-Forwarded-Proto", headerText(random)],
  (random) => ["Origin", headerText(random)],
  (random) => [
    "Cookie",
    `sessionid=${random.pick(["x", "%00", "%ff", "%", '"', headerText(random)])}; csrftoken=${headerText(random)}`
  ],
  (random) => ["Content-Encoding", random.pick(["gzip", "br", "x"])],
  () => ["Range", "bytes=0-0"],
  (random) => ["X-Request-ID", headerText(random)],
  (random) => ["X-CSRFToken", headerText(random)],
  (random) => ["Authorization", `Token ${headerText(random)}`],
  (random) => ["Authorization", headerText(random)],
  (random) => [random.pick(["X-Http-Method-Override", "Forwarded", "Prefer", "Accept-Language"]), headerText(random)]
]

const headersOf = (random: Random, actor: Actor, contentType: string | undefined): ReadonlyArray<string> => [
  "Host",
  random.chance(0.97) ? "localhost" : random.pick(hosts),
  ...(actor === "anonymous" ? [] : ["Authorization", `Token ${tokens[actor]}`]),
  ...(contentType === undefined ? [] : ["Content-Type", contentType]),
  ...(random.chance(0.25) ? random.many(1, 3, () => random.pick(others)(random)).flat() : [])
]
