/** Parses a `DATABASE_URL` by libpq's rules, for the pools and the replication connection alike. */
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"

/** Where a server listens. */
export interface Place {
  /** If it begins with a slash, the folder of the Unix socket. */
  readonly host: string
  readonly port: number
}

export interface PostgresAddress {
  /** At least one. Connections are made to the first that answers and is fit. */
  readonly hosts: ReadonlyArray<Place>
  readonly user: string
  readonly password: string
  readonly database: string
  /** Undefined for a connection without encryption. */
  readonly tls: ConnectionOptions | undefined
  /** Time to connect to one host, milliseconds; undefined if the address names none. */
  readonly connectMillis: number | undefined
  readonly target: (typeof targets)[number]
  /** Settings of the sessions, as a command line: `-c search_path=inventory`. */
  readonly options: string | undefined
  readonly applicationName: string
}

const tlsModes = ["disable", "require", "verify-ca", "verify-full"]

/** The servers that connections are made to: a primary, and by default only one that takes writes. */
const targets = ["read-write", "primary"] as const

const taken = [
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "target_session_attrs",
  "connect_timeout",
  "options",
  "application_name"
]

/** Parses a URL like `postgresql://user:password@one:5432,two:5432/database?sslmode=verify-full&sslrootcert=/etc/ca.pem`. */
export const addressOf = (url: string): PostgresAddress => {
  const [, scheme, credentials = "", authority = "", path = "", query = ""] = form.exec(url) ?? []
  if (scheme === undefined) throw new Error("must begin with postgresql://")
  const places = authority.split(",").map(placeIn)
  const parameters = parametersOf(query)
  const [, user = "", password = ""] = /^([^:]*):?(.*)$/s.exec(credentials) ?? []
  const hosts = hostsOf(places, parameters)
  const address = {
    hosts,
    user: parameters.get("user") ?? decoded(user),
    password: parameters.get("password") ?? decoded(password),
    database: parameters.get("dbname") ?? decoded(path),
    tls: hosts.every(isSocket) ? undefined : tlsOf(parameters),
    connectMillis: connectMillisOf(parameters.get("connect_timeout")),
    target: oneOf(targets, "target_session_attrs", parameters) ?? "read-write",
    options: parameters.get("options"),
    applicationName: parameters.get("application_name") ?? "rackwire"
  }
  if (address.user === "" || address.database === "") throw new Error("must name a user and a database")
  return address
}

/** Why a URL is invalid; undefined if it is valid. */
export const urlProblem = (url: string): string | undefined => {
  try {
    addressOf(url)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

export const isSocket = ({ host }: Place): boolean => host.startsWith("/")

/** A place for people to read. */
export const shownPlace = ({ host, port }: Place): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

/** The hosts of an address for people to read. */
export const shownHosts = ({ hosts }: PostgresAddress): string => hosts.map(shownPlace).join(", ")

/** Why a server must not be worked on; undefined if it is fit. */
export const unfitness = (
  { target }: Pick<PostgresAddress, "target">,
  { isStandby, isReadOnly }: { readonly isStandby: boolean; readonly isReadOnly: boolean }
): string | undefined => {
  if (isStandby) return "is a standby"
  return isReadOnly && target === "read-write" ? "takes no writes: default_transaction_read_only is on" : undefined
}

/** Scheme, user and password, hosts, database, parameters. */
const form = /^(postgres(?:ql)?:\/\/)(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s

/** Messages do not quote the URL: a password that is not encoded may be in any part of it. */
const encodeHint = "in a user name or password write @ : / ? % as %40 %3A %2F %3F %25"

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(`has a % that begins no character: ${encodeHint}`)
  }
}

const parametersOf = (query: string): ReadonlyMap<string, string> => {
  const parameters = new Map(
    query
      .split("&")
      .filter((part) => part !== "")
      .map((part) => {
        const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(part) ?? []
        return [decoded(name), decoded(value)] as const
      })
  )
  const names = [...parameters.keys()]
  // Other names may be the rest of a password.
  if (names.some((name) => !/^\w+$/.test(name))) throw new Error(`has a parameter that cannot be read: ${encodeHint}`)
  const unknown = names.find((name) => !taken.includes(name))
  if (unknown === undefined) return parameters
  throw new Error(`has the parameter ${unknown}, which is not supported; supported are ${taken.join(", ")}`)
}

const hostsOf = (
  places: ReadonlyArray<ReturnType<typeof placeIn>>,
  parameters: ReadonlyMap<string, string>
): ReadonlyArray<Place> => {
  const hosts = parameters.get("host")?.split(",") ?? places.map(({ host }) => host)
  const ports = parameters.get("port")?.split(",") ?? places.map(({ port }) => port)
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new Error(`names ${hosts.length} hosts and ${ports.length} ports`)
  }
  return hosts.map((host, at) => ({ host: host || "127.0.0.1", port: portOf(ports[at] ?? ports[0]!) }))
}

const placeIn = (text: string): { readonly host: string; readonly port: string } => {
  const [, bracketed, plain = "", port = ""] = /^(?:\[([^\]]*)\]|([^:@]*))(?::(.*))?$/s.exec(text) ?? []
  if (bracketed === undefined && plain === "" && !/^(:.*)?$/s.test(text)) {
    throw new Error(`has a host that cannot be read: ${encodeHint}`)
  }
  return { host: decoded(bracketed ?? plain), port }
}

const portOf = (text: string): number => {
  const port = text === "" ? 5432 : Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new Error(`has a port that is not a number from 1 to 65535: ${encodeHint}`)
}

const connectMillisOf = (seconds: string | undefined): number | undefined => {
  if (seconds === undefined) return undefined
  if (!/^[1-9]\d{0,3}$/.test(seconds)) {
    throw new Error(`connect_timeout=${seconds} is not a number of seconds from 1 to 9999`)
  }
  return Number(seconds) * 1000
}

const oneOf = <const Values extends ReadonlyArray<string>>(
  values: Values,
  name: string,
  parameters: ReadonlyMap<string, string>
): Values[number] | undefined => {
  const value = parameters.get(name)
  if (value === undefined || values.includes(value)) return value
  throw new Error(`${name}=${value} is not one of ${values.join(", ")}`)
}

/** As in libpq, `require` encrypts without verifying the server's certificate, unless a root certificate is given. */
const tlsOf = (parameters: ReadonlyMap<string, string>): ConnectionOptions | undefined => {
  const file = (name: string) => {
    const path = parameters.get(name)
    return path === undefined || path === "system" ? undefined : readFileSync(path)
  }
  const mode = oneOf(tlsModes, "sslmode", parameters) ?? "disable"
  if (mode === "disable") return undefined
  const own = { ca: file("sslrootcert"), cert: file("sslcert"), key: file("sslkey") }
  if (mode === "verify-full") return own
  if (mode === "require" && !parameters.has("sslrootcert")) return { ...own, rejectUnauthorized: false }
  return { ...own, checkServerIdentity: () => undefined }
}
