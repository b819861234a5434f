import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rootCertificates } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { eventually } from "../support/Eventually.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

let folder: string
let api: Api<ServiceProcess>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rackwire-ca-"))
  execFileSync("mkfifo", [join(folder, "fifo.pem")])
  api = await startApiProcess({ WEBHOOK_CA_DIRECTORY: folder })
})

afterAll(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

const fields = (name: string): Json => ({
  name,
  content_types: ["extras.tag"],
  type_create: true,
  // Nobody listens there: without the certificates nobody is asked.
  payload_url: "https://localhost:9/",
  retry_schedule: { kind: "list", delays: [] }
})

const create = async (body: Json, at: Api<ServiceProcess> = api): Promise<number> => {
  const { status, json, text } = await at.call<{ id: number }>("POST", "/api/extras/webhooks/", body)
  if (status !== 201) throw new Error(text)
  return json.id
}

interface Delivery {
  readonly reason: string
  readonly message: string
}

/** The webhook's failed deliveries, once there are so many. */
const failed = (at: Api<ServiceProcess>, webhook: number, count: number): Promise<ReadonlyArray<Delivery>> =>
  eventually(`${count} failed deliveries of webhook ${webhook}`, async () => {
    const path = `/api/extras/deliveries/?webhook_id=${webhook}&status=failed`
    const { results } = (await at.call<{ results: ReadonlyArray<Delivery> }>("GET", path)).json
    return results.length >= count && results
  })

describe("a webhook's CA certificates", () => {
  it("are checked when the webhook is saved, by its file or its text", async () => {
    const errors = async (extra: Json) => (await api.raw("POST", "/api/extras/webhooks/", body(extra), token)).json
    const token = await api.newToken()
    const body = (extra: Json) => ({ ...fields("refused"), ...extra })
    expect(await errors({ ca_file_path: "/dev/zero" })).toEqual({
      ca_file_path: ["The file must be in a directory that WEBHOOK_CA_DIRECTORY names."]
    })
    expect(await errors({ ca_file_path: join(folder, "fifo.pem") })).toEqual({
      ca_file_path: ["The path must be that of a regular file."]
    })
    expect(await errors({ ca_certificate: "none" })).toMatchObject({
      ca_certificate: [expect.stringContaining("PEM format")]
    })
    expect(await errors({ ca_certificate: rootCertificates[0], ssl_verification: false })).toMatchObject({
      ca_certificate: [expect.stringContaining("SSL verification is disabled")]
    })
    const kept = { ...fields("kept"), ca_certificate: rootCertificates[0], enabled: false }
    const { json } = await api.call<Json>("POST", "/api/extras/webhooks/", kept)
    expect(json["ca_certificate"]).toBe(rootCertificates[0])
  })

  it("that plain SQL reads from a FIFO or a device delay nobody, now or after a restart", async () => {
    const bystander = await Bystander.arrive(api)
    const webhooks = await Promise.all(["fifo", "zero", "unusable"].map((name) => create(fields(name))))
    const [fifo, zero, unusable] = webhooks as [number, number, number]
    const attack = async () => {
      const point = "update extras_webhook set ca_file_path = $1 where id = $2"
      await api.database.sql.query(point, [join(folder, "fifo.pem"), fifo])
      await api.database.sql.query(point, ["/dev/zero", zero])
      await api.database.sql.query("update extras_webhook set max_in_flight = -1 where id = $1", [unusable])
      await api.call("POST", "/api/extras/tags/", named("tag one"))
      expect(await failed(api, fifo, 1)).toMatchObject([
        { reason: "CaCertificate", message: "ca_file_path: The path must be that of a regular file." }
      ])
      expect(await failed(api, zero, 1)).toMatchObject([{ reason: "CaCertificate" }])
    }
    expectCalm(await bystander.during(attack))
    await bystander.leave()
    await api.service.stop()
    const service = await startProcess({
      DATABASE_URL: api.database.databaseUrl,
      REDIS_URL: api.database.redisUrl,
      RACKWIRE_SLOT: api.database.slot,
      SECRET_KEY: "a key for tests, of some length",
      WEBHOOK_CA_DIRECTORY: folder
    })
    const again: Api<ServiceProcess> = { ...api, service, call: service.call }
    try {
      await service.call("DELETE", "/api/extras/webhooks/?name=bystander")
      await service.call("POST", "/api/extras/tags/", named("tag two"))
      await failed(again, fifo, 2)
      await failed(again, zero, 2)
      // What waited for a definition that can be used goes out with it.
      await again.database.sql.query(
        "update extras_webhook set max_in_flight = null, ca_file_path = $1 where id = $2",
        ["/dev/zero", unusable]
      )
      await failed(again, unusable, 2)
    } finally {
      await service.stop()
    }
  })
})
