/**
 * Webhooks whose CA certificates are in files that never end or that nobody writes. The service runs
 * as a process, because its memory and the waits of others are measured.
 */
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { Bystander, expectCalm } from "./Bystander.ts"
import {
  expectCertificatesChecked,
  expectSameAfterRestart,
  makeFolder,
  makeTargets,
  pointAtFiles
} from "./CertificateAttacks.ts"

const { folder, remove } = makeFolder()
let api: Api<ServiceProcess>

beforeAll(async () => {
  api = await startApiProcess({ WEBHOOK_CA_DIRECTORY: folder })
})

afterAll(async () => {
  await api.stop()
  remove()
})

describe("a webhook's CA certificates", () => {
  it("are checked when the webhook is saved, by its file or its text", () => expectCertificatesChecked(api, folder))

  it("that plain SQL reads from a FIFO or a device delay nobody, now or after a restart", async () => {
    const bystander = await Bystander.arrive(api)
    const targets = await makeTargets(api)
    expectCalm(await bystander.during(() => pointAtFiles(api, folder, targets)))
    await bystander.leave()
    await api.service.stop()
    const service = await startProcess({
      DATABASE_URL: api.database.databaseUrl,
      REDIS_URL: api.database.redisUrl,
      RACKWIRE_SLOT: api.database.slot,
      SECRET_KEY: "a key for tests, of sufficient length",
      WEBHOOK_CA_DIRECTORY: folder
    })
    const again: Api<ServiceProcess> = { ...api, service, call: service.call }
    try {
      await service.call("DELETE", "/api/extras/webhooks/?name=bystander")
      await expectSameAfterRestart(again, targets)
    } finally {
      await service.stop()
    }
  })
})
