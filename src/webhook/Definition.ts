/** A webhook as deliver uses it, made from its row when the row changes. */
import { Data, Duration, Effect } from "effect"
import { Settings } from "../Config.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { OptionRefused } from "../Setting.ts"
import { Vault } from "../inventory/Vault.ts"
import { type WebhookRow, changedMillis } from "../match/WebhookIndex.ts"
import { wholeText } from "../inventory/write/Hidden.ts"
import { objectType } from "../inventory/Registry.ts"
import { authorityOf } from "../transport/certificate/CertificateAuthority.ts"
import type { ConnectionOptions } from "../transport/Connector.ts"
import { type Identity, identityOf } from "./identity/Identity.ts"
import { type RetryPolicy, parsePolicy, retrySchedule, usualPolicy } from "./RetrySchedule.ts"
import { type BatchPolicy, parseBatch } from "../inventory/types/extras/WebhookBatch.ts"
import { type ChainHeader, chainHeaderOf } from "./Chain.ts"
import type { Signing } from "./Sign.ts"
import { proxyRules, targetRules } from "../transport/OutgoingRules.ts"
import type { TargetRules } from "../transport/TargetPolicy.ts"
import type { ProxyRules } from "../transport/Tunnel.ts"
import type { Outgoing } from "../transport/Outgoing.ts"

/** The settings that all webhooks of a process share. */
interface Surroundings {
  readonly settings: Settings["Service"]
  readonly vault: Vault["Service"]
  /** The retry policy of webhooks that set none. */
  readonly usual: RetryPolicy
  readonly rules: TargetRules
  readonly proxy: ProxyRules | undefined
}

/** Fails with OptionRefused if an option is not valid. */
export const surroundings = Effect.gen(function* () {
  const settings = yield* Settings
  const vault = yield* Vault
  const { webhookDefaultRetry } = settings
  const usual = webhookDefaultRetry === undefined ? usualPolicy : parsePolicy(webhookDefaultRetry)
  if (typeof usual === "string") return yield* new OptionRefused({ message: `WEBHOOK_DEFAULT_RETRY: ${usual}` })
  return { settings, vault, usual, rules: yield* targetRules, proxy: yield* proxyRules } satisfies Surroundings
})

export interface Definition {
  readonly id: number
  /** For the fields that are used as they are. */
  readonly row: WebhookRow
  /** The user for whom it fires; undefined where it fires for everything. */
  readonly owner: number | undefined
  /** When its row was last changed, milliseconds since 1970. */
  readonly changed: number
  readonly method: Outgoing["method"]
  /** As rows show it, without user information: for the log of attempts without a request. */
  readonly url: string
  readonly identity: Identity
  readonly chainHeader: ChainHeader
  readonly headers: string
  readonly bodyTemplate: string
  readonly signing: Signing
  /** Until when the previous secret signs too, milliseconds since 1970. */
  readonly previousUntil: number
  readonly timeoutMillis: number
  readonly maxInFlight: number
  /** Attempts per second, in all processes together; undefined for no limit. */
  readonly rateLimit: number | undefined
  /** Deliveries of one object are sent one after the other. */
  readonly ordered: boolean
  /** Undefined where each request has one delivery. */
  readonly batch: BatchPolicy | undefined
  readonly schedule: ReturnType<typeof retrySchedule>
  /** How its connections are made, and to which targets. */
  readonly target: ConnectionOptions
}

/** Attempts of a webhook at the same time, in one process, where the webhook sets none. */
const inFlightUsual = 32

/** Plain SQL may have written values that the API refuses, and another key may have sealed its secrets. */
export class UnusableWebhook extends Data.TaggedError("UnusableWebhook")<{
  readonly webhook: number
  readonly message: string
}> {}

export const unusable = (webhook: number, cause: unknown): UnusableWebhook =>
  new UnusableWebhook({ webhook, message: inWords(cause) })

/** The webhook's definition; fails where a value of the row is invalid, or a secret cannot be opened. */
export const definitionOf = (row: WebhookRow, surroundings: Surroundings): Effect.Effect<Definition, UnusableWebhook> =>
  Effect.try({
    try: () => readDefinition(row, surroundings),
    catch: (cause) => unusable(row.id, cause)
  })

const isReadable = (signing: { readonly [K in keyof Signing]: Signing[K] | undefined }): signing is Signing =>
  signing.secret !== undefined && signing.previous !== undefined

const unreadable = (field: string): Error =>
  new Error(`no known key opens its ${field}: add the former SECRET_KEY to SECRET_KEY_FALLBACKS, or set ${field} anew`)

const readDefinition = (row: WebhookRow, { settings, vault, usual, rules, proxy }: Surroundings): Definition => {
  const open = (sealed: string) => (sealed === "" ? "" : vault.open(sealed))
  const signing = { style: row.signature, secret: open(row.secret), previous: open(row.previous_secret) }
  const headers = wholeText(objectType("extras.webhook"), row, "additional_headers", vault)
  const expires = row.previous_secret_expires
  const policy = row.retry_schedule === null ? usual : parsePolicy(row.retry_schedule)
  const batch = row.batch === null ? undefined : parseBatch(row.batch)
  const maxInFlight = row.max_in_flight ?? inFlightUsual
  const identity = identityOf(row, vault)
  if (!isReadable(signing)) throw unreadable("secret")
  if (headers === undefined) throw unreadable("additional_headers")
  if ("unreadable" in identity) throw unreadable(identity.unreadable)
  const timeoutMillis = row.timeout === null ? Duration.toMillis(settings.webhookTimeout) : row.timeout * 1000
  return {
    id: row.id,
    row,
    owner: row.scope_user ?? undefined,
    changed: changedMillis(row),
    method: row.http_method,
    url: row.payload_url,
    identity,
    chainHeader: chainHeaderOf(row.id, vault),
    headers,
    bodyTemplate: row.body_template,
    signing,
    previousUntil: expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires),
    timeoutMillis,
    maxInFlight,
    rateLimit: row.rate_limit ?? undefined,
    ordered: row.ordering === "object",
    // Only plain SQL can write an invalid value past our checks.
    batch: typeof batch === "string" ? undefined : batch,
    schedule: retrySchedule(typeof policy === "string" ? usual : policy),
    target: {
      webhook: row.id,
      rules,
      tls: {
        rejectUnauthorized: row.ssl_verification === true,
        authority: authorityOf({
          pem: row.ca_certificate,
          path: row.ca_file_path ?? "",
          directories: settings.webhookCaDirectory
        }),
        client: identity.certificate
      },
      timeoutMillis,
      proxy
    }
  }
}
