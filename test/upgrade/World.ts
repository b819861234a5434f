/** The small world of a fixture: webhooks of every kind, a receiver, and what is written for them. */
import { type IncomingHttpHeaders, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { makeClientAuthority } from "../support/ClientAuthority.ts"
import type { Client } from "../support/Client.ts"

/** Secrets of the senders that the receiver knows; the upgrade's test expects them. */
export const known = {
  secret: "signs sites",
  bearer: "Bearer of sites",
  basic: "ann:pass word",
  clientSecret: "secretOfTheClient"
}

/** Seconds until a delivery of the webhooks `later` and `ordered` is tried again. */
const laterSeconds = 45

const tags = { content_types: ["extras.tag"], type_create: true }
const sites = { content_types: ["dcim.site"], type_create: true, type_update: true, type_delete: true }
const later = { retry_schedule: { kind: "fixed", delay: laterSeconds, attempts: 20 } }

/** Webhooks by their names, which are the paths that they send to. */
const webhooksOf = (url: string, reader: number): Readonly<Record<string, object>> => {
  const authority = makeClientAuthority()
  const client = authority.issue("client")
  authority.remove()
  return {
    sites: { ...sites, secret: known.secret, additional_headers: `Authorization: ${known.bearer}\nX-Kind: sites` },
    ordered: { ...sites, ...later, ordering: "object" },
    conditional: { ...sites, conditions: { attr: "description", op: "changed" } },
    scoped: { ...sites, scope_user: reader },
    jinja: { ...tags, body_template: "{{ data.name|upper }}" },
    liquid: { ...tags, template_engine: "liquid", body_template: "{{ data.name | upcase }}" },
    nunjucks: { ...tags, template_engine: "nunjucks", body_template: "{{ data.name|upper }}" },
    standard: {
      ...{ ...tags, signature: "standard", secret: `whsec_${Buffer.alloc(24, 1).toString("base64")}` },
      ...{ previous_secret: known.secret, previous_secret_expires: "2100-01-01T00:00:00Z" }
    },
    basic: { ...tags, payload_url: url.replace("://", `://${known.basic.replace(" ", "%20")}@`) + "/basic" },
    oauth: {
      ...{ ...tags, oauth_token_url: `${url}/token` },
      ...{ oauth_client_id: "rackwire", oauth_client_secret: known.clientSecret }
    },
    certified: { ...tags, client_certificate: client.cert, client_key: client.key, ca_certificate: client.cert },
    paced: { ...tags, rate_limit: 20, max_in_flight: 2 },
    paused: { ...tags, paused: true },
    disabled: { ...tags, enabled: false },
    failed: { ...tags, retry_schedule: { kind: "fixed", delay: 1, attempts: 1 } },
    later: { ...tags, ...later },
    broken: { ...tags, ...later },
    hangs: { ...tags, timeout: 600 }
  }
}

/** Makes the webhooks; returns their ids by name. */
export const makeWebhooks = async (
  { make }: Pick<Client, "make">,
  receiverUrl: string,
  reader: number
): Promise<ReadonlyMap<string, number>> => {
  const ids = new Map<string, number>()
  for (const [name, fields] of Object.entries(webhooksOf(receiverUrl, reader))) {
    const body = { payload_url: `${receiverUrl}/${name}`, ...fields, name }
    ids.set(name, await make("extras/webhooks", body))
  }
  return ids
}

interface Arrival {
  /** The name of the webhook. */
  readonly webhook: string
  readonly delivery: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface FixtureReceiver {
  readonly url: string
  readonly arrivals: ReadonlyArray<Arrival>
  /** Credentials that the token endpoint received. */
  readonly clients: ReadonlyArray<string | undefined>
  /** Status by webhook; 200 for others, and no answer for undefined. */
  readonly answers: Map<string, number | undefined>
  readonly close: () => void
}

/** A receiver of all webhooks, and the token endpoint of one. */
export const startFixtureReceiver = async (): Promise<FixtureReceiver> => {
  const answers = new Map<string, number | undefined>()
  const arrivals: Array<Arrival> = []
  const clients: Array<string | undefined> = []
  const server = createServer(async (request, response) => {
    const { headers } = request
    const webhook = request.url!.slice(1)
    if (webhook === "token") {
      clients.push(headers.authorization)
      return void response.end('{"access_token": "token", "token_type": "Bearer", "expires_in": 600}')
    }
    // Text of a process that is killed may end early.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    arrivals.push({ webhook, delivery: String(headers["x-hook-delivery"]), headers, body })
    const status = answers.has(webhook) ? answers.get(webhook) : 200
    if (status !== undefined) response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    clients,
    answers,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
