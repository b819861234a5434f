/**
 * Every option, once: environment name, type, default, description.
 *
 * This module is the only reader of the environment. The table in the README is derived from `options`, and a test
 * holds the two together.
 */
import { readFileSync } from "node:fs"
import { Config, Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { type Setting, bytes, days, list, optional, port, positive, postgresUrl, setting } from "./Setting.ts"

export const options = {
  host: setting("HOST", Config.String, "127.0.0.1", "Address that the HTTP server listens on."),
  port: setting("PORT", port, 8000, "Port that the HTTP server listens on; 0 takes a free one."),
  baseUrl: optional(
    "BASE_URL",
    Config.String,
    "Address of the service as others reach it, without a trailing slash. It stands in the URLs of events; in API responses the address of the request is used unless this is set.",
    "http://HOST:PORT"
  ),
  databaseUrl: optional(
    "DATABASE_URL",
    postgresUrl,
    "An existing Postgres 14 or later with `wal_level=logical`; `sslmode` (disable, require, verify-ca, verify-full), `sslrootcert`, `sslcert` and `sslkey` as in libpq. Unset: a Postgres 18 of our own is kept in the data directory."
  ),
  redisUrl: optional(
    "REDIS_URL",
    Config.Redacted,
    "An existing Redis 7 or later, or some nodes of a cluster: `redis+cluster://user:password@one:6379,two:6379`. Unset: a Redis of our own is kept in the data directory."
  ),
  redisMemoryLimit: optional(
    "REDIS_MEMORY_LIMIT",
    bytes,
    "Memory that Redis may use, with its unit: `512 MB`, `2 GiB`. From 80 % of it on, or of the `maxmemory` of an existing Redis, capture pauses until less than 70 % are used.",
    "a quarter of the machine's memory and 2 GiB at most for a Redis of our own"
  ),
  dataDirectory: setting(
    "RACKWIRE_DATA_DIR",
    Config.String,
    ".rackwire",
    "Folder of the embedded servers and of generated secrets."
  ),
  postgresBinaries: optional(
    "POSTGRES_BIN",
    Config.String,
    "Folder of the `postgres` and `initdb` that the embedded server uses.",
    "the npm package's"
  ),
  slot: setting(
    "RACKWIRE_SLOT",
    Config.String,
    "rackwire",
    "Name of the replication slot; slots are shared by all databases of a server."
  ),
  secretKey: optional(
    "SECRET_KEY",
    Config.Redacted,
    "Key that seals webhook secrets in the database, at least 32 characters. Required with `DATABASE_URL`.",
    "generated into the data directory"
  ),
  secretKeyFallbacks: setting(
    "SECRET_KEY_FALLBACKS",
    (name) => Config.map(list(name), (keys) => keys.map((key) => Redacted.make(key))),
    [],
    "Earlier values of `SECRET_KEY`, comma-separated: what was sealed with them is sealed anew at the start.",
    ""
  ),
  superuserName: setting("SUPERUSER_NAME", Config.String, "admin", "User created at the first start."),
  superuserPassword: optional(
    "SUPERUSER_PASSWORD",
    Config.Redacted,
    "Password of that user. A common one is warned of in the log and not refused.",
    "generated, printed once"
  ),
  superuserApiToken: optional(
    "SUPERUSER_API_TOKEN",
    Config.Redacted,
    "API token of that user, 40 hexadecimal characters."
  ),
  exemptViewPermissions: setting(
    "EXEMPT_VIEW_PERMISSIONS",
    list,
    [],
    "Object types (`dcim.site,dcim.region` or `*`) that anybody may read without a token. `*` leaves out users, groups, permissions, tokens and webhooks.",
    ""
  ),
  defaultPermissions: optional(
    "DEFAULT_PERMISSIONS",
    (name) => Config.schema(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)), name),
    'What every user may do without being granted it, as JSON: `{"users.view_token": {"user": "$user"}}`; `{}` for nothing.',
    "tokens of one's own, and oneself"
  ),
  loginRequired: setting(
    "LOGIN_REQUIRED",
    Config.Boolean,
    false,
    "Whether nothing is shown to who is not logged in, whatever is exempt from permission."
  ),
  loginTimeout: setting(
    "LOGIN_TIMEOUT",
    Config.Duration,
    Duration.days(14),
    "Time after which a session in a browser ends, whatever happens in it.",
    "14 days"
  ),
  loginAttemptsPerUser: setting(
    "LOGIN_ATTEMPTS_PER_USER",
    Config.Int,
    10,
    "Wrong passwords for one user name within five minutes, after which more must wait."
  ),
  loginAttemptsPerAddress: setting(
    "LOGIN_ATTEMPTS_PER_ADDRESS",
    Config.Int,
    50,
    "Wrong passwords from one address (of IPv6 a /64 network) within five minutes, after which more must wait."
  ),
  allowTokenRetrieval: setting(
    "ALLOW_TOKEN_RETRIEVAL",
    Config.Boolean,
    false,
    "Whether the keys of tokens are kept sealed as well and shown whenever the token is. Tokens made before have no key to show."
  ),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    list,
    [],
    "Addresses and CIDR ranges of proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are believed, comma-separated; from others they are ignored.",
    ""
  ),
  metricsAccess: setting(
    "METRICS_ACCESS",
    list,
    ["127.0.0.0/8", "::1", "token"],
    "Who sees `/metrics`, and the processes in `/api/status/`, comma-separated: `anybody`; clients in these addresses and CIDR ranges; with `token` every user, by token or session. Behind a proxy, name it in `TRUSTED_PROXIES`, or its address counts for all clients.",
    "127.0.0.0/8,::1,token"
  ),
  pageSize: setting("PAGINATE_COUNT", Config.Int, 50, "Objects per page when a request names no `limit`."),
  pageSizeMax: setting("MAX_PAGE_SIZE", Config.Int, 1000, "Most objects per page; 0 for no bound."),
  requestStatementTimeout: setting(
    "REQUEST_STATEMENT_TIMEOUT",
    Config.Duration,
    Duration.seconds(5),
    "Time that Postgres gets for one statement of a request that reads. Longer ones are answered with 503; those with a regular expression get 1.5 seconds at most.",
    "5 seconds"
  ),
  importsAtOnce: setting(
    "IMPORTS_AT_ONCE",
    positive,
    2,
    "Imports that one process works on at once. Further imports are answered with 503 and `Retry-After`. Each may take 200 MB of memory."
  ),
  tokensPerUser: setting(
    "TOKENS_PER_USER",
    positive,
    1000,
    "Most API tokens that one user may have, expired ones included."
  ),
  bulkObjectsMax: setting(
    "MAX_BULK_OBJECTS",
    positive,
    1000,
    "Most objects that one request may create, change or delete as a list. For more, send several requests or import a file."
  ),
  strictQuery: setting(
    "STRICT_QUERY",
    Config.Boolean,
    false,
    "Whether unknown filters and unknown fields are refused where a request does not say so by `?strict=`."
  ),
  changelogRetention: setting(
    "CHANGELOG_RETENTION",
    days,
    Duration.days(90),
    "Days for which the change log is kept; as long can past events be sent again. Days of which deliveries are still owed are kept until those have ended.",
    "90"
  ),
  deliveryRetention: setting(
    "DELIVERY_RETENTION",
    days,
    Duration.days(30),
    "Days for which deliveries and their attempts are kept.",
    "30"
  ),
  webhookTimeout: setting(
    "WEBHOOK_TIMEOUT",
    Config.Duration,
    Duration.seconds(30),
    "Absolute time for one attempt, connecting and body included, where the webhook sets none.",
    "30 seconds"
  ),
  webhookDefaultRetry: optional(
    "WEBHOOK_DEFAULT_RETRY",
    (name) => Config.schema(Schema.fromJsonString(Schema.Unknown), name),
    "Retry schedule of webhooks that set none, as JSON.",
    "8 attempts over about a day"
  ),
  webhookTargetPolicy: setting(
    "WEBHOOK_TARGET_POLICY",
    (name) => Config.Literals(["private", "public"], name),
    "private",
    "Where deliveries may go. `private`: anywhere but metadata services, link-local, multicast and unspecified addresses; `public`: also no private, loopback or reserved ones."
  ),
  webhookAllow: setting(
    "WEBHOOK_ALLOW",
    list,
    [],
    "Addresses and CIDR ranges that deliveries may go to whatever the policy says, comma-separated.",
    ""
  ),
  webhookDeny: setting(
    "WEBHOOK_DENY",
    list,
    [],
    "Addresses and CIDR ranges that deliveries may never go to, comma-separated; wins over `WEBHOOK_ALLOW`.",
    ""
  ),
  webhookCaDirectory: setting(
    "WEBHOOK_CA_DIRECTORY",
    list,
    [],
    "Directories that the `ca_file_path` of a webhook may name a file in, comma-separated. Empty: no webhook may name a file; `ca_certificate` takes the certificates themselves.",
    ""
  ),
  webhookProxy: optional(
    "WEBHOOK_PROXY",
    Config.Redacted,
    "HTTP proxy that deliveries go through, `http://` or `https://`, with `user:password@` where it wants them. It is asked to connect to the receiver's address, for which the target policy was asked."
  ),
  webhookNoProxy: setting(
    "WEBHOOK_NO_PROXY",
    list,
    [],
    "Hosts that deliveries reach without the proxy, comma-separated; `.example.org` means all names that end so.",
    ""
  ),
  plugins: setting(
    "RACKWIRE_PLUGINS",
    list,
    [],
    "Template plugins beside those in `plugins/`: paths or npm package names, comma-separated.",
    ""
  ),
  developer: setting(
    "DEVELOPER",
    Config.Boolean,
    false,
    "Whether template plugins are read again when their files change."
  ),
  logLevel: setting(
    "LOG_LEVEL",
    (name) => Config.Literals(["Trace", "Debug", "Info", "Warn", "Error"], name),
    "Info",
    "Least level that is logged."
  )
} as const

type Values = { readonly [K in keyof typeof options]: (typeof options)[K] extends Setting<infer A> ? A : never }

const all: Config.Config<Values> = Config.all(
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.config]))
) as Config.Config<never>

/** The options of this process, read once at start. An unreadable value fails with the name of its variable. */
export class Settings extends Context.Service<Settings, Values>()("rackwire/Settings") {
  static readonly layer = Layer.effect(
    Settings,
    Effect.gen(function* () {
      return Settings.of(yield* all)
    })
  )
}

/** The text of a secret option, for the one place that hands it to a driver. */
export const reveal = (secret: Redacted.Redacted): string => Redacted.value(secret)

/** All of our environment, for a service of ours that we start. */
export const inheritedEnvironment = (): NodeJS.ProcessEnv => process.env

/** The version of this service, from its package. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string }
).version

/** Names and values for people to read; secrets stay secret. */
export const describeSettings = (values: Values): ReadonlyArray<readonly [env: string, value: string]> =>
  Object.entries(options).map(([name, { env, fallback }]) => {
    const value = values[name as keyof Values]
    if (Redacted.isRedacted(value)) return [env, "(set)"]
    if (value === undefined) return [env, fallback === "" ? "(unset)" : `(${fallback})`]
    if (Duration.isDuration(value)) return [env, Duration.format(value)]
    return [env, typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : String(value)]
  })
