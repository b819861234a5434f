/**
 * Every option: environment name, type, default, description. The options of Postgres and of the telemetry are in their
 * folders.
 * `npm run docs` writes the table in docs/reference.md.
 */
import { readFileSync } from "node:fs"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import * as kind from "./Setting.ts"
import { corsOptions } from "./CorsOptions.ts"
import { inventoryOptions } from "./InventoryOptions.ts"
import { loginOptions } from "./LoginOptions.ts"
import { signInOptions } from "./SignInOptions.ts"
import { ldapOptions } from "./LdapOptions.ts"
import { remoteAuthOptions } from "./RemoteAuthOptions.ts"
import { databaseOptions } from "./postgres/DatabaseOptions.ts"
import { telemetryOptions } from "./telemetry/TelemetryOptions.ts"
import { type OptionRefused, type Setting, optional, setting } from "./Setting.ts"

export const options = {
  host: setting("HOST", kind.text, "127.0.0.1", "Address that the HTTP server listens on."),
  port: setting("PORT", kind.integer(0, 65_535), 8000, "Port that the HTTP server listens on; 0 picks a free one."),
  baseUrl: optional(
    "BASE_URL",
    kind.webAddress,
    "Public address of the service; it may have a path, which a proxy may strip or pass on. URLs in events begin with it. If it is set, URLs in API responses do too; otherwise they begin with the address of the request.",
    "http://HOST:PORT"
  ),
  ...databaseOptions,
  shutdownDelay: optional(
    "SHUTDOWN_DELAY",
    kind.duration,
    "How long a process with the role `api` continues to answer after SIGTERM, while `/health/ready` answers 503, so that load balancers send requests elsewhere.",
    "no delay"
  ),
  redisUrl: optional(
    "REDIS_URL",
    kind.redisUrl,
    "An existing Redis 6.2 or later, some nodes of a cluster: `redis+cluster://user:password@one:6379,two:6379`, or the Sentinels of a primary: `redis+sentinel://user:password@one:26379,two:26379/<primary>`. `rediss` is for TLS. If unset, Rackwire runs its own Redis in the data directory."
  ),
  redisMemoryLimit: optional(
    "REDIS_MEMORY_LIMIT",
    kind.memory,
    "Memory that Redis may use, with its unit: `512 MB`, `2 GiB`. Capture pauses at 80 % of this limit, or of the `maxmemory` of an existing Redis, and resumes below 70 %.",
    "for Rackwire's own Redis a quarter of the machine's memory, at most 2 GiB"
  ),
  dataDirectory: setting(
    "RACKWIRE_DATA_DIR",
    kind.text,
    ".rackwire",
    "Directory of the embedded servers and of generated secrets."
  ),
  postgresBinaries: optional(
    "POSTGRES_BIN",
    kind.text,
    "Directory of the `postgres` and `initdb` that the embedded server runs.",
    "the npm package's"
  ),
  slot: setting(
    "RACKWIRE_SLOT",
    kind.text,
    "rackwire",
    "Name of the replication slot. All databases of a Postgres server share these names."
  ),
  secretKey: optional(
    "SECRET_KEY",
    kind.secretKey,
    "Key that encrypts secrets in the database, at least 32 characters. Required with `DATABASE_URL`.",
    "generated into the data directory"
  ),
  secretKeyFallbacks: setting(
    "SECRET_KEY_FALLBACKS",
    kind.secrets,
    [],
    "Earlier values of `SECRET_KEY`, comma-separated, or one in each line of a file. At the start, secrets that they encrypted are encrypted again with `SECRET_KEY`.",
    ""
  ),
  superuserName: setting("SUPERUSER_NAME", kind.text, "admin", "User that is created at the first start."),
  superuserPassword: optional(
    "SUPERUSER_PASSWORD",
    kind.secret,
    "Password of that user. One that is easy to guess is accepted, with a warning in the log.",
    "generated, printed once"
  ),
  superuserApiToken: optional("SUPERUSER_API_TOKEN", kind.secret, "API token of that user, 40 hexadecimal characters."),
  exemptViewPermissions: setting(
    "EXEMPT_VIEW_PERMISSIONS",
    kind.list,
    [],
    "Object types that anyone may read without a token: `dcim.site,dcim.region`, or `*` for all but users, groups, permissions, tokens, webhooks, alarms and sign-ins.",
    ""
  ),
  defaultPermissions: optional(
    "DEFAULT_PERMISSIONS",
    kind.jsonObject,
    'Permissions of every user without a grant, as JSON: `{"users.view_token": {"user": "$user"}}`; `{}` for nothing.',
    "view themselves, and keep their own tokens"
  ),
  ...loginOptions,
  ...signInOptions,
  ...ldapOptions,
  allowTokenRetrieval: setting(
    "ALLOW_TOKEN_RETRIEVAL",
    kind.yesOrNo,
    false,
    "Whether the keys of tokens are stored encrypted as well, and shown with their token. Tokens that were made before have no key to show."
  ),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    kind.list,
    [],
    "Addresses and CIDR ranges of proxies, comma-separated. `X-Forwarded-For`, `-Host` and `-Proto` are believed from these and ignored from others.",
    ""
  ),
  ...remoteAuthOptions,
  metricsAccess: optional(
    "METRICS_ACCESS",
    kind.list,
    "Access to `/metrics`, and to the processes in `/api/status/`, comma-separated: `anybody`; addresses and CIDR ranges of clients; `token` for every user, by token or session. Name a proxy in `TRUSTED_PROXIES`, or its address counts for all clients behind it: by default this machine has access only unless `BASE_URL` names another one.",
    "127.0.0.0/8,::1,token, or token alone"
  ),
  pageSize: setting("PAGINATE_COUNT", kind.integer(1), 50, "Objects per page if a request names no `limit`."),
  pageSizeMax: setting("MAX_PAGE_SIZE", kind.integer(0), 1000, "Most objects per page; 0 for no limit."),
  requestStatementTimeout: setting(
    "REQUEST_STATEMENT_TIMEOUT",
    kind.duration,
    Duration.seconds(5),
    "Time limit for one SQL statement of a request that reads. A longer one is answered with 503. A statement with a regular expression gets 1.5 seconds at most.",
    "5 seconds"
  ),
  importsAtOnce: setting(
    "IMPORTS_AT_ONCE",
    kind.integer(1),
    2,
    "Imports that one process runs at once. Further imports are answered with 503 and `Retry-After`. Each may take 200 MB of memory."
  ),
  imageStorageLimit: setting(
    "IMAGE_STORAGE_LIMIT",
    kind.memory,
    1024 ** 3,
    "Most bytes of all images together, attached ones and those of device types, with their unit: `512 MB`, `2 GiB`. They are in Postgres.",
    "1 GiB"
  ),
  tokensPerUser: setting("TOKENS_PER_USER", kind.integer(1), 1000, "Most API tokens per user, expired ones included."),
  webhooksPerUser: setting("WEBHOOKS_PER_USER", kind.integer(1), 100, "Most webhooks with the same `scope_user`."),
  bulkObjectsMax: setting(
    "MAX_BULK_OBJECTS",
    kind.integer(1),
    1000,
    "Most objects that one request may create, change or delete as a list. For more, send several requests or import a file."
  ),
  strictQuery: setting(
    "STRICT_QUERY",
    kind.yesOrNo,
    false,
    "Whether a list without `?strict=` is refused if its query has unknown filters. Unknown filters are ignored otherwise."
  ),
  strictBody: setting(
    "STRICT_BODY",
    kind.yesOrNo,
    false,
    "Whether a write without `?strict=` is refused if its body has unknown fields. Unknown fields are ignored otherwise."
  ),
  changelogRetention: setting(
    "CHANGELOG_RETENTION",
    kind.days,
    Duration.days(90),
    "Days to keep the change log. This also limits how far back you can replay. A day with unfinished deliveries is kept until these have ended.",
    "90"
  ),
  signinRetention: setting(
    "SIGNIN_RETENTION",
    kind.days,
    Duration.days(90),
    "Days to keep sign-ins, refusals and changes of accounts by them ([audit](signin.md#audit)).",
    "90"
  ),
  deliveryRetention: setting(
    "DELIVERY_RETENTION",
    kind.days,
    Duration.days(30),
    "Days to keep deliveries and their attempts.",
    "30"
  ),
  webhookTimeout: setting(
    "WEBHOOK_TIMEOUT",
    kind.duration,
    Duration.seconds(30),
    "Time limit for one attempt, connecting and body included, if the webhook sets none.",
    "30 seconds"
  ),
  webhookDefaultRetry: optional(
    "WEBHOOK_DEFAULT_RETRY",
    kind.json,
    "Retry schedule of webhooks that set none, as JSON.",
    "8 attempts over about a day"
  ),
  webhookTargetPolicy: setting(
    "WEBHOOK_TARGET_POLICY",
    kind.oneOf("private", "public"),
    "private",
    "Allowed targets of deliveries. `private`: all addresses but metadata services, link-local, multicast and unspecified addresses. `public`: also not to private, loopback or reserved addresses."
  ),
  webhookAllow: setting(
    "WEBHOOK_ALLOW",
    kind.list,
    [],
    "Addresses and CIDR ranges that are allowed in addition to the policy, comma-separated.",
    ""
  ),
  webhookDeny: setting(
    "WEBHOOK_DENY",
    kind.list,
    [],
    "Addresses and CIDR ranges that are denied, comma-separated. Overrides `WEBHOOK_ALLOW`.",
    ""
  ),
  webhookCaDirectory: setting(
    "WEBHOOK_CA_DIRECTORY",
    kind.list,
    [],
    "Directories of the files that webhooks may name in `ca_file_path`, comma-separated. If empty, no webhook may name a file; `ca_certificate` takes the certificates themselves.",
    ""
  ),
  webhookProxy: optional(
    "WEBHOOK_PROXY",
    kind.secretAddress,
    "HTTP proxy for deliveries, `http://` or `https://`, with `user:password@` if it needs them. Rackwire checks the receiver's address against the target policy and connects to that address through the proxy."
  ),
  webhookNoProxy: setting(
    "WEBHOOK_NO_PROXY",
    kind.list,
    [],
    "Hosts that deliveries reach without the proxy, comma-separated; `.example.org` matches all names that end with it.",
    ""
  ),
  plugins: setting(
    "RACKWIRE_PLUGINS",
    kind.list,
    [],
    "Template plugins in addition to those in `plugins/`: paths or npm package names, comma-separated.",
    ""
  ),
  developer: setting(
    "DEVELOPER",
    kind.yesOrNo,
    false,
    "Whether template plugins are loaded again when their files change."
  ),
  ...inventoryOptions,
  ...corsOptions,
  ...telemetryOptions
} as const

export type Values = { readonly [K in keyof typeof options]: (typeof options)[K] extends Setting<infer A> ? A : never }

const all = Effect.all(
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.value]))
) as Effect.Effect<Values, OptionRefused>

/** The options of this process, read once at the start. Fails with the name of the first that cannot be read. */
export class Settings extends Context.Service<Settings, Values>()("rackwire/Settings") {
  static readonly layer = Layer.effect(
    Settings,
    Effect.map(all, (values) => Settings.of(values))
  )
}

/** The text of a secret option, for handing it to a driver. */
export const reveal = (secret: Redacted.Redacted): string => Redacted.value(secret)

/** The version of this service, from its package. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string }
).version
