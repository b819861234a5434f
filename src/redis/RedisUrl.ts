/** Parses a `REDIS_URL`: one server, some nodes of a cluster, or the Sentinels that name the primary. */
import { readFileSync } from "node:fs"

export interface RedisAddress {
  readonly kind: "server" | "cluster" | "sentinel"
  /** The server, the nodes, or the Sentinels; none with a Unix socket. */
  readonly hosts: ReadonlyArray<{ readonly host: string; readonly port: number }>
  /** The Unix socket; "" for none. */
  readonly path: string
  readonly username: string
  readonly password: string
  readonly database: number
  /** The name of the primary in Sentinels; "" without Sentinels. */
  readonly primary: string
  readonly sentinelUsername: string
  readonly sentinelPassword: string
  readonly family: 4 | 6 | undefined
  readonly tls: CertificateFiles | undefined
}

/** Paths of files in PEM. */
interface CertificateFiles {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

const shape = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(.+)$/s

const usual =
  "an address like redis://:password@host:6379/0, redis+cluster://one:6379,two:6379 or redis+sentinel://one:26379,two:26379/<primary>"

/** Parses an address; throws an error that names the fault, without the secrets of the address. */
export const redisAddressOf = (url: string): RedisAddress => {
  if (url.startsWith("/")) {
    const [path = "", query = ""] = url.split("?", 2)
    return addressFrom({ kind: "server", hosts: [], path, credentials: "", place: "", query, isEncrypted: false })
  }
  const [, scheme, kind = "server", rest = ""] = shape.exec(url) ?? fail(`the value is not ${usual}.`)
  const at = rest.lastIndexOf("@")
  const credentials = rest.slice(0, Math.max(at, 0))
  if (/[/?#]/.test(credentials)) {
    fail(
      "characters like @ / ? # in a user name, a password or a parameter must be percent-encoded: %40, %2F, %3F, %23."
    )
  }
  const [, hosts = "", place = "", query = ""] =
    /^([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(rest.slice(at + 1)) ?? fail("an address has no part behind #.")
  return addressFrom({
    kind: kind as RedisAddress["kind"],
    hosts: hosts.split(",").map((host) => hostOf(host, kind === "sentinel" ? 26_379 : 6379)),
    path: "",
    credentials,
    place: place.slice(1),
    query,
    isEncrypted: scheme === "rediss"
  })
}

/** The fault of an address; undefined for none. */
export const redisUrlProblem = (url: string): string | undefined => {
  try {
    redisAddressOf(url)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

interface Parts extends Pick<RedisAddress, "kind" | "hosts" | "path"> {
  /** `user:password`, percent-encoded. */
  readonly credentials: string
  /** The database; behind Sentinels the name of the primary precedes it. */
  readonly place: string
  readonly query: string
  readonly isEncrypted: boolean
}

const addressFrom = ({ kind, hosts, path, credentials, place, query, isEncrypted }: Parts): RedisAddress => {
  if (kind === "server" && hosts.length > 1) fail("several hosts need redis+cluster:// or redis+sentinel://.")
  const [username = "", ...password] = credentials.split(":")
  const [primary = "", inPlace = ""] = kind === "sentinel" ? place.split("/", 2) : ["", place]
  if (kind === "sentinel" && primary === "") {
    fail("the name of the primary is missing behind the Sentinels: redis+sentinel://one:26379,two:26379/<primary>.")
  }
  const parameters = new URLSearchParams(query)
  const database = parameters.get("db") ?? inPlace
  if (!/^\d{0,9}$/.test(database)) fail(`the database "${database}" is not a number.`)
  if (kind === "cluster" && Number(database) > 0) fail("a cluster has no other database than 0.")
  for (const name of parameters.keys()) {
    if (!takenParameters(kind, isEncrypted).includes(name)) fail(`the parameter ${name} is not known here.`)
  }
  const family = parameters.get("family") ?? undefined
  if (family !== undefined && !/^[46]$/.test(family)) fail(`family=${family} is not 4 or 6.`)
  return {
    kind,
    hosts,
    path,
    username: decoded(username),
    password: decoded(password.join(":")),
    database: Number(database),
    primary: decoded(primary),
    sentinelUsername: parameters.get("sentinel_username") ?? "",
    sentinelPassword: parameters.get("sentinel_password") ?? "",
    family: family === undefined ? undefined : (Number(family) as 4 | 6),
    tls: isEncrypted ? certificateFiles(parameters) : undefined
  }
}

/** The names of redis-py for the files of TLS. */
const tlsParameters = { ca: "ssl_ca_certs", cert: "ssl_certfile", key: "ssl_keyfile" } as const

const takenParameters = (kind: RedisAddress["kind"], isEncrypted: boolean): ReadonlyArray<string> => [
  ...["db", "family"],
  ...(kind === "sentinel" ? ["sentinel_username", "sentinel_password"] : []),
  ...(isEncrypted ? Object.values(tlsParameters) : [])
]

const certificateFiles = (parameters: URLSearchParams): CertificateFiles => {
  const named = Object.entries(tlsParameters).flatMap(([part, name]) => {
    const file = parameters.get(name)
    if (file === null) return []
    try {
      readFileSync(file)
    } catch (error) {
      fail(`${name}: ${(error as Error).message}`)
    }
    return [[part, file] as const]
  })
  const files: CertificateFiles = Object.fromEntries(named)
  if ((files.cert === undefined) !== (files.key === undefined)) {
    fail(`a client certificate needs both ${tlsParameters.cert} and ${tlsParameters.key}.`)
  }
  return files
}

const hostOf = (text: string, usualPort: number) => {
  const [, host = "", port] = /^(\[[\da-f:.%]+\]|[^:[\]]*)(?::(\d{1,5}))?$/i.exec(text) ?? fail(`"${text}" is no host.`)
  return { host: host.replace(/^\[|\]$/g, "") || "localhost", port: Number(port ?? usualPort) }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return fail("a % in a user name, a password or a name must be percent-encoded: %25.")
  }
}

const fail = (message: string): never => {
  throw new Error(message)
}
