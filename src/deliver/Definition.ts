/** A webhook as deliver works with it: its row, read once per change. */
import { readFileSync } from "node:fs"
import { Duration } from "effect"
import { Agent } from "undici"
import type { Settings } from "../Config.ts"
import type { Vault } from "../Vault.ts"
import type { Row } from "../inventory/Field.ts"
import { type RetryPolicy, parsePolicy, retrySchedule } from "./RetrySchedule.ts"

export interface Definition {
  readonly id: number
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  readonly contentType: string
  /** Of the URL, the headers and the body. */
  readonly engine: string
  readonly headers: string
  readonly bodyTemplate: string
  /** "" for none; undefined when it cannot be read with our key. */
  readonly secret: string | undefined
  readonly timeoutMillis: number
  readonly maxInFlight: number
  readonly schedule: ReturnType<typeof retrySchedule>
  /** Its own connections: nobody else's slow receiver takes them. */
  readonly agent: Agent
}

/** Attempts of a webhook at the same time, in one process, where the webhook sets none. */
const inFlightUsual = 32

/** Time an unused connection is kept, milliseconds. */
const keepAliveMillis = 10_000

export const definitionOf = (
  row: Row,
  settings: Settings["Service"],
  vault: Vault["Service"],
  usual: RetryPolicy
): Definition => {
  const secret = String(row["secret"])
  const policy = row["retry_schedule"] === null ? usual : parsePolicy(row["retry_schedule"])
  const maxInFlight = (row["max_in_flight"] as number | null) ?? inFlightUsual
  return {
    id: row.id,
    method: row["http_method"] as Definition["method"],
    url: String(row["payload_url"]),
    contentType: String(row["http_content_type"]),
    engine: String(row["template_engine"]),
    headers: String(row["additional_headers"]),
    bodyTemplate: String(row["body_template"]),
    secret: secret === "" ? "" : vault.open(secret),
    timeoutMillis:
      row["timeout"] === null ? Duration.toMillis(settings.webhookTimeout) : (row["timeout"] as number) * 1000,
    maxInFlight,
    // A policy that is not understood can only have come past our checks by plain SQL.
    schedule: retrySchedule(typeof policy === "string" ? usual : policy),
    agent: new Agent({
      connections: maxInFlight,
      keepAliveTimeout: keepAliveMillis,
      connect: {
        rejectUnauthorized: row["ssl_verification"] === true,
        ...certificateAuthority(row["ca_file_path"] as string | null)
      }
    })
  }
}

/** A file that cannot be read trusts nobody: the attempts fail and say `Tls`. */
const certificateAuthority = (path: string | null): { readonly ca?: string } => {
  if (path === null || path === "") return {}
  try {
    return { ca: readFileSync(path, "utf8") }
  } catch {
    return { ca: "" }
  }
}
