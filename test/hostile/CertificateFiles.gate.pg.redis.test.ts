/** Webhooks whose CA certificates are in files that never end or that nobody writes: reads overtake them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApi, startApiAlone } from "../support/Api.ts"
import { startService } from "../support/Service.ts"
import { causesOf } from "./Causes.ts"
import {
  expectCertificatesChecked,
  expectSameAfterRestart,
  makeFolder,
  makeTargets,
  pointAtFiles
} from "./CertificateAttacks.ts"
import { isThorough, thorough } from "../support/Seed.ts"

const { folder, remove } = makeFolder()
const settings = { WEBHOOK_CA_DIRECTORY: folder }

let api: Api

beforeAll(async () => {
  api = await (isThorough ? startApi : startApiAlone)(settings)
})
afterAll(async () => {
  await api.stop()
  remove()
})

describe("a webhook's CA certificates", () => {
  it("are checked when the webhook is saved, by its file or its text", () => expectCertificatesChecked(api, folder))

  thorough("that plain SQL reads from a FIFO or a device are overtaken by reads, now and after a restart", async () => {
    const targets = await makeTargets(api)
    const { overtaking } = await causesOf(api, () => pointAtFiles(api, folder, targets))
    expect(overtaking).toBeGreaterThan(0)
    await api.service.stop()
    const service = await startService({ ...environmentOf(api.database), ...settings })
    const { database } = api
    api = { ...api, service, call: service.call, stop: () => service.stop().then(() => database.drop()) }
    await expectSameAfterRestart(api, targets)
  })
})
