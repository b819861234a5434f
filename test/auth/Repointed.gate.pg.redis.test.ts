/** Secrets of a webhook that is sent elsewhere: they must be entered again. */
import { rootCertificates } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { openBrowser } from "./Browser.ts"

const path = "/api/extras/webhooks/"
const messages = ["It would be sent to another address, or with other TLS settings: enter its secrets again."]

let api: Api
let made = 0

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const secrets = {
  payload_url: "https://user:planted@good.example/hook",
  additional_headers: "X-Harmless: 1\nAuthorization: Bearer planted",
  oauth_token_url: "https://login.example/token",
  oauth_client_id: "id",
  oauth_client_secret: "planted"
}

const webhook = async (fields: Json = secrets) => {
  const body = {
    name: `hook ${(made += 1)}`,
    content_types: ["dcim.site"],
    type_create: true,
    enabled: false,
    ...fields
  }
  return api.make("extras/webhooks", body)
}

const patch = async (id: number, body: Json) => {
  const { status, json } = await api.call<Json>("PATCH", `${path}${id}/`, body)
  return status === 200 ? 200 : json
}

describe("a webhook with secrets", () => {
  it("goes to another host only with its secrets entered again", async () => {
    const id = await webhook()
    const moved = { payload_url: "https://***@evil.example/hook" }
    const every = { payload_url: messages, additional_headers: messages, oauth_client_secret: messages }
    expect(await patch(id, moved)).toEqual(every)
    expect(await patch(id, { payload_url: "https://evil.example/hook" })).toEqual({
      ...{ additional_headers: messages, oauth_client_secret: messages }
    })
    const shown = (await api.call<Json>("GET", `${path}${id}/`)).json
    expect((await api.call<Json>("PUT", `${path}${id}/`, { ...shown, ...moved })).json).toEqual(every)
    expect((await api.call<Json>("PATCH", path, [{ id, ...moved }])).status).toBe(400)
    expect(await patch(id, { ...secrets, payload_url: "https://own:own@evil.example/" })).toBe(200)
  })

  it.each([
    ["scheme", { payload_url: "http://***@good.example/hook" }],
    ["port", { payload_url: "https://***@good.example:444/hook" }],
    ["host that a template ends", { payload_url: "https://***@good.example{{ '.evil.example' }}/hook" }],
    ["address that a statement makes", { payload_url: "{% if 1 %}https://evil.example/{% endif %}" }],
    ["verification", { ssl_verification: false }],
    ["certificate authority", { ca_certificate: "" }]
  ] as const)("keeps its secrets only with the same %s", async (_, change) => {
    const id = await webhook({ ...secrets, ca_certificate: rootCertificates[0] })
    const refused = await patch(id, { ...change, ...("ssl_verification" in change && { ca_certificate: "" }) })
    expect(refused).toMatchObject({ additional_headers: messages, oauth_client_secret: messages })
  })

  it("keeps them with another path, query, name or token scope", async () => {
    const id = await webhook()
    for (const change of [
      { payload_url: "https://***@good.example/{{ data.id }}?x=1" },
      { payload_url: "https://***@GOOD.example/" },
      { name: `renamed ${id}`, oauth_scope: "more", enabled: true },
      { additional_headers: "Authorization: ***" },
      { oauth_token_url: "https://login.example/other" }
    ]) {
      expect([change, await patch(id, change)]).toEqual([change, 200])
    }
  })

  it("sends the secret of its client to another token endpoint only when it is entered again", async () => {
    const id = await webhook()
    const moved = { oauth_token_url: "https://evil.example/token" }
    expect(await patch(id, moved)).toEqual({ oauth_client_secret: messages })
    // The receiver gets the token, and never the secret that the token is worth.
    expect(await patch(id, { oauth_token_url: "https://good.example/token" })).toEqual({
      oauth_client_secret: messages
    })
    expect(await patch(id, { ...moved, oauth_client_secret: "own" })).toBe(200)
    expect(
      await patch(id, { oauth_token_url: "", oauth_client_id: "", oauth_client_secret: "", oauth_scope: "" })
    ).toBe(200)
  })

  it("that are not sent may go anywhere: the key of its signature is none of them", async () => {
    const id = await webhook({
      payload_url: "https://good.example/",
      secret: "of the signature",
      additional_headers: "X: 1"
    })
    expect(await patch(id, { payload_url: "http://elsewhere.example/", ssl_verification: false })).toBe(200)
  })

  it("is refused alike in the form of the console, at the field of the secret", async () => {
    const id = await webhook()
    const browser = openBrowser(api.service.url)
    await browser.logIn("admin")
    const answer = await browser.submit(`/extras/webhooks/${id}/edit/`, {
      ...{ content_types: "dcim.site", type_create: "on", additional_headers: "Authorization: ***" },
      payload_url: "https://evil.example/"
    })
    const [, told] = /id="e-additional_headers">([^<]*)/.exec(await answer.text()) ?? []
    expect([answer.status, told]).toEqual([400, messages[0]])
  })
})
