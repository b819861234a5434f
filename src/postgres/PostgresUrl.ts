/** Parses a `DATABASE_URL` by libpq's rules, for the pools and the replication connection alike. */
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"

export interface PostgresAddress {
  /** If it begins with a slash, the folder of the Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** Undefined for a connection without encryption. */
  readonly tls: ConnectionOptions | undefined
}

const tlsModes = ["disable", "require", "verify-ca", "verify-full"]

/** Parses a URL like `postgresql://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/etc/ca.pem`. */
export const addressOf = (url: string): PostgresAddress => {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  return {
    host: searchParams.get("host") ?? (hostname.replace(/^\[(.*)\]$/, "$1") || "127.0.0.1"),
    port: Number(searchParams.get("port") ?? (port || 5432)),
    user: searchParams.get("user") ?? decodeURIComponent(username),
    password: searchParams.get("password") ?? decodeURIComponent(password),
    database: searchParams.get("dbname") ?? decodeURIComponent(pathname.slice(1)),
    tls: tlsOf(searchParams)
  }
}

/** Why a URL is invalid; undefined if it is valid. */
export const urlProblem = (url: string): string | undefined => {
  if (!/^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? "")) return "must begin with postgresql://"
  const mode = new URL(url).searchParams.get("sslmode")
  if (mode !== null && !tlsModes.includes(mode)) return `sslmode=${mode} is not one of ${tlsModes.join(", ")}`
  try {
    const { user, database } = addressOf(url)
    return user === "" || database === "" ? "must name a user and a database" : undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** As in libpq, `require` encrypts without verifying the server's certificate, unless a root certificate is given. */
const tlsOf = (parameters: URLSearchParams): ConnectionOptions | undefined => {
  const file = (name: string) => {
    const path = parameters.get(name)
    return path === null || path === "system" ? undefined : readFileSync(path)
  }
  const mode = parameters.get("sslmode") ?? "disable"
  if (mode === "disable") return undefined
  const own = { ca: file("sslrootcert"), cert: file("sslcert"), key: file("sslkey") }
  if (mode === "verify-full") return own
  if (mode === "require" && !parameters.has("sslrootcert")) return { ...own, rejectUnauthorized: false }
  return { ...own, checkServerIdentity: () => undefined }
}
