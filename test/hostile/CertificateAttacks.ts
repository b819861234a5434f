/** Webhooks whose CA certificates are in files that never end or that nobody writes. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rootCertificates } from "node:tls"
import { expect } from "vitest"
import type { Api } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

/** A directory with a FIFO, and its removal. */
export const makeFolder = (): { readonly folder: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-ca-"))
  execFileSync("mkfifo", [join(folder, "fifo.pem")])
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

const fields = (name: string): Json => ({
  name,
  content_types: ["extras.tag"],
  type_create: true,
  // Nobody listens there: without the certificates nobody is asked.
  payload_url: "https://localhost:9/",
  retry_schedule: { kind: "list", delays: [] }
})

const create = async (at: Api, body: Json): Promise<number> => {
  return at.make("extras/webhooks", body)
}

interface Delivery {
  readonly reason: string
  readonly message: string
}

/** The webhook's failed deliveries, once there are so many. */
const failed = (at: Api, webhook: number, count: number): Promise<ReadonlyArray<Delivery>> =>
  eventually(`${count} failed deliveries of webhook ${webhook}`, async () => {
    const path = `/api/extras/deliveries/?webhook_id=${webhook}&status=failed`
    const { results } = (await at.call<{ results: ReadonlyArray<Delivery> }>("GET", path)).json
    return results.length >= count && results
  })

/** Certificates are checked when a webhook is saved, by the path of the file or by the text. */
export const expectCertificatesChecked = async (api: Api, folder: string): Promise<void> => {
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
}

interface Targets {
  readonly fifo: number
  readonly zero: number
  readonly unusable: number
}

export const makeTargets = async (api: Api): Promise<Targets> => {
  const webhooks = await Promise.all(["fifo", "zero", "unusable"].map((name) => create(api, fields(name))))
  const [fifo, zero, unusable] = webhooks as [number, number, number]
  return { fifo, zero, unusable }
}

/** Points the webhooks at the FIFO and the device by plain SQL; their deliveries fail with the reason. */
export const pointAtFiles = async (api: Api, folder: string, { fifo, zero, unusable }: Targets): Promise<void> => {
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

/** After a restart the deliveries fail as before, and those of a webhook that was unusable follow. */
export const expectSameAfterRestart = async (again: Api, { fifo, zero, unusable }: Targets): Promise<void> => {
  await again.call("POST", "/api/extras/tags/", named("tag two"))
  await failed(again, fifo, 2)
  await failed(again, zero, 2)
  // Deliveries that waited for a usable definition are sent with it.
  await again.database.sql.query("update extras_webhook set max_in_flight = null, ca_file_path = $1 where id = $2", [
    "/dev/zero",
    unusable
  ])
  await failed(again, unusable, 2)
}
