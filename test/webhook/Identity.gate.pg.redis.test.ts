/** Webhooks that show their receivers who they are, from the API to the request that arrives. */
import { createServer } from "node:https"
import type { TLSSocket } from "node:tls"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Json } from "../support/Client.ts"
import { hasOpenssl } from "../support/Certificate.ts"
import { type ClientAuthority, makeClientAuthority } from "../support/ClientAuthority.ts"
import { eventually } from "../support/Eventually.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { listen } from "../deliver/Receiver.ts"
import { startTokenEndpoint } from "./TokenEndpoint.ts"

const hooks = startDelivering()

const path = "/api/extras/webhooks/"

const patch = (id: number, body: Json) => hooks.api.call<Json>("PATCH", `${path}${id}/`, body)

const create = (fields: Json) =>
  hooks.api.call<Json>("POST", path, {
    ...{ name: "refused", content_types: ["extras.tag"], type_create: true },
    payload_url: "https://receiver.example/",
    ...fields
  })

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`

const withUser = (name: string, user: string) => hooks.receiver.url.replace("://", `://${user}@`) + `/${name}`

const arrivals = async (name: string, tag: string) => {
  const count = hooks.at(name).length + 1
  await hooks.tag(`${name} ${tag}`)
  await hooks.arrived(name, count)
  return hooks.at(name).at(-1)!
}

/** Makes tags until the condition holds: a process learns of a changed webhook a moment later. */
const taggingUntil = (name: string, holds: () => boolean) => {
  let made = 0
  return eventually(`what follows from a change of ${name}`, async () => {
    await hooks.tag(`${name} again ${(made += 1)}`)
    return holds()
  })
}

const authorizations = (name: string) => hooks.at(name).map(({ headers }) => headers.authorization)

describe("user information in the address of a webhook", () => {
  it("becomes Basic authorization in place of its own, and is shown nowhere", async () => {
    const id = await hooks.webhook("basic", {
      payload_url: withUser("basic", "Ann:p%40ss"),
      additional_headers: "Authorization: Bearer own"
    })
    const shown = withUser("basic", "***")
    expect((await hooks.api.call<Json>("GET", `${path}${id}/`)).json["payload_url"]).toBe(shown)
    expect((await arrivals("basic", "one")).headers.authorization).toBe(basic("Ann:p@ss"))
    const delivery = await hooks.delivery(id, "successful")
    expect(delivery.attempt_log).toMatchObject([
      {
        url: `${hooks.receiver.url}/basic`,
        request_headers: expect.arrayContaining([{ name: "authorization", value: "***" }]) as unknown
      }
    ])
    const request = await hooks.api.call<Json>("GET", `/api/extras/deliveries/${delivery.id}/request/`)
    expect(request.json["curl"]).toContain("authorization: ***")
  })

  it("is kept where a client sends back what it was shown, and gone where it leaves it out", async () => {
    const id = await hooks.webhook("kept", { payload_url: withUser("kept", "Ann:pass") })
    const whole = (await hooks.api.call<Json>("GET", `${path}${id}/`)).json
    expect((await hooks.api.call("PUT", `${path}${id}/`, whole)).status).toBe(200)
    expect((await arrivals("kept", "one")).headers.authorization).toBe(basic("Ann:pass"))
    await patch(id, { payload_url: `${hooks.receiver.url}/kept` })
    await taggingUntil("kept", () => authorizations("kept").includes(undefined))
    const refused = await patch(id, { payload_url: withUser("kept", "***") })
    expect([refused.status, refused.json]).toEqual([
      400,
      { payload_url: ["No value is kept for user information: write it instead of ***."] }
    ])
  })

  it("may be made by a template, and is not logged when that fails", async () => {
    const id = await hooks.webhook("made", {
      payload_url: withUser("made", "{{ data.name|length }}:planted-{{ data.nothing.more }}"),
      retry_schedule: { kind: "list", delays: [] }
    })
    await hooks.tag("made one")
    const { attempt_log: log } = await hooks.delivery(id, "failed")
    expect(log).toMatchObject([{ reason: "Render", url: withUser("made", "***") }])
    expect((await patch(id, { payload_url: withUser("made", "{{ data.name|length }}:x") })).status).toBe(200)
    await taggingUntil("made", () => authorizations("made").some((each) => each?.startsWith("Basic ") === true))
    const [sent = ""] = authorizations("made")
    expect(Buffer.from(sent.split(" ")[1] ?? "", "base64").toString()).toMatch(/^\d+:x$/)
  })

  it("that plain SQL writes is hidden at once, sealed soon, and sent", async () => {
    const id = await hooks.webhook("sql")
    const query = "update extras_webhook set payload_url = $1 where id = $2"
    await hooks.api.database.sql.query(query, [withUser("sql", "Ann:planted"), id])
    expect((await hooks.api.call("GET", `${path}${id}/`)).text).not.toContain("planted")
    const column = async () =>
      (
        await hooks.api.database.sql.query<{ url: string }>(
          "select payload_url as url from extras_webhook where id = $1",
          [id]
        )
      )[0]
    await expect.poll(column).toEqual({ url: withUser("sql", "***") })
    expect((await arrivals("sql", "one")).headers.authorization).toBe(basic("Ann:planted"))
  })

  it("is shown as *** by a trial", async () => {
    await hooks.tag("tried")
    const fields = { content_types: ["extras.tag"], type_create: true, http_method: "POST" }
    for (const user of ["Ann:planted", "***"]) {
      const body = { ...fields, payload_url: `https://${user}@receiver.example/` }
      const { json, text } = await hooks.api.call<Json>("POST", `${path}trial/`, body)
      const headers = expect.objectContaining({ authorization: "***" }) as unknown
      expect(json["request"]).toMatchObject({ url: "https://***@receiver.example/", headers })
      expect([json["faults"], text.includes("planted")]).toEqual([[], false])
    }
  })
})

describe.runIf(hasOpenssl)("the client certificate of a webhook", () => {
  let authority: ClientAuthority

  beforeAll(() => {
    authority = makeClientAuthority()
    return () => authority.remove()
  })

  it("is shown to the receiver, and replaced for the next delivery", async () => {
    const seen: Array<string | undefined> = []
    const server = createServer(
      { ...authority.server, ca: authority.certificate, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        seen.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined)
        response.end()
      }
    )
    const payload_url = `https://localhost:${await listen(server)}/`
    const first = authority.issue("first")
    const certified = { client_certificate: first.cert, client_key: first.key }
    const id = await hooks.webhook("certified", { payload_url, ca_certificate: authority.certificate, ...certified })
    const shown = (await hooks.api.call<Json>("GET", `${path}${id}/`)).json
    expect([shown["client_certificate"], Object.keys(shown).includes("client_key")]).toEqual([first.cert, false])
    await hooks.tag("certified one")
    await expect.poll(() => seen).toEqual(["first"])
    const delivery = await hooks.delivery(id, "successful")
    const request = await hooks.api.call<Json>("GET", `/api/extras/deliveries/${delivery.id}/request/`)
    expect(request.json["curl"]).toContain("--cert client.pem --key client-key.pem")
    const second = authority.issue("second")
    expect((await patch(id, { client_certificate: second.cert, client_key: second.key })).status).toBe(200)
    await taggingUntil("certified", () => seen.includes("second"))
    expect((await patch(id, { client_certificate: "" })).status).toBe(200)
    await taggingUntil("certified", () => seen.includes(undefined))
    expect([...new Set(seen)]).toEqual(["first", "second", undefined])
  })

  it("is checked with its key when either is written", async () => {
    const [one, two] = [authority.issue("one"), authority.issue("two")]
    const other = { client_key: ["It is not the key of the first certificate in client_certificate."] }
    const pair = { client_certificate: one.cert, client_key: one.key }
    const errors = async (fields: Json) => (await create(fields)).json
    expect(await errors({ ...pair, client_key: two.key })).toEqual(other)
    expect(await errors({ ...pair, client_key: "" })).toMatchObject({ client_key: [expect.stringContaining("Enter")] })
    expect(await errors({ client_key: one.key })).toMatchObject({ client_key: [expect.stringContaining("only")] })
    expect(await errors({ ...pair, client_certificate: authority.issue("old", undefined, -1).cert })).toMatchObject({
      client_certificate: [expect.stringContaining("expired")]
    })
    const id = await hooks.webhook("pair", { ...pair, enabled: false })
    onTestFinished(async () => void (await hooks.api.call("DELETE", `${path}${id}/`)))
    // The kept key is opened to be compared.
    expect((await patch(id, { client_certificate: two.cert })).json).toEqual(other)
    expect((await patch(id, { client_certificate: `${one.cert}\n${authority.certificate}` })).status).toBe(200)
    expect((await patch(id, { description: "as it is" })).status).toBe(200)
  })
})

describe("a webhook with OAuth 2.0", () => {
  const client = (url: string) => ({
    ...{ oauth_token_url: url, oauth_client_id: "rackwire", oauth_client_secret: "planted-client" },
    oauth_scope: "hooks.write"
  })

  it("sends its token, keeps it through changes of other fields, and renews it on a 401", async () => {
    const endpoint = await startTokenEndpoint()
    const fields = { payload_url: endpoint.receiver, ...client(endpoint.url) }
    const id = await hooks.webhook("oauth", fields)
    expect(JSON.stringify((await hooks.api.call("GET", `${path}${id}/`)).json)).not.toContain("planted")
    await hooks.tag("oauth one")
    await hooks.deliveries(id, "successful", 1)
    expect((await patch(id, { description: "changed", max_in_flight: 4 })).status).toBe(200)
    await hooks.tag("oauth two")
    await hooks.deliveries(id, "successful", 2)
    expect(endpoint.asked).toEqual([
      {
        authorization: basic("rackwire:planted-client"),
        form: { grant_type: "client_credentials", scope: "hooks.write" }
      }
    ])
    // A token that is younger than a second is not renewed.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    endpoint.revoke()
    await hooks.tag("oauth three")
    await hooks.deliveries(id, "successful", 3)
    expect(endpoint.got).toEqual([
      ...["Bearer planted-token-1", "Bearer planted-token-1", "Bearer planted-token-1"],
      "Bearer planted-token-2"
    ])
    const [delivery] = await hooks.deliveries(id, "successful", 3)
    const { text } = await hooks.api.call("GET", `/api/extras/deliveries/${delivery!.id}/`)
    expect([text.includes("you sent Bearer ***"), text.includes("planted")]).toEqual([true, false])
    await patch(id, { oauth_client_secret: "planted-other" })
    await taggingUntil("oauth", () => endpoint.asked.at(-1)?.authorization === basic("rackwire:planted-other"))
  })

  it("is tried again by its schedule when the token endpoint fails, and says why", async () => {
    const endpoint = await startTokenEndpoint((number, token) =>
      number === 1 ? [503, "planted"] : [200, { access_token: token }]
    )
    const retry_schedule = { kind: "list", delays: [1.5] }
    const fields = { payload_url: endpoint.receiver, retry_schedule, ...client(endpoint.url) }
    const id = await hooks.webhook("retried", fields)
    await hooks.tag("retried one")
    expect((await hooks.delivery(id, "successful")).attempt_log).toMatchObject([
      { reason: "Token", message: "The token endpoint answered 503.", request_headers: [] },
      { reason: "", response_status: 200 }
    ])
  })

  it("needs the whole client, and a token endpoint that may be reached", async () => {
    const errors = async (fields: Json) => (await create({ ...client("https://login.example/"), ...fields })).json
    expect(await errors({ oauth_client_id: "" })).toMatchObject({ oauth_client_id: [expect.anything()] })
    expect(await errors({ oauth_client_secret: "" })).toMatchObject({ oauth_client_secret: [expect.anything()] })
    expect(await errors({ oauth_token_url: "" })).toMatchObject({ oauth_scope: [expect.anything()] })
    expect(await errors({ oauth_token_url: "http://169.254.169.254/token" })).toMatchObject({
      oauth_token_url: [expect.stringContaining("refused by the target policy")]
    })
  })
})
