/** Uploads made to occupy the service, as a process, because its memory and the waits of others are measured. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { Bystander, expectCalm } from "./Bystander.ts"
import { type ClientResult, type ImageClient, attachments, startImageClient } from "./ImageClient.ts"

let api: Api<ServiceProcess>
let bystander: Bystander
let client: ImageClient

beforeAll(async () => {
  api = await startApiProcess()
  bystander = await Bystander.arrive(api)
  const [token, site] = [await api.newToken(), await api.make("dcim/sites", named("Oslo"))]
  const manufacturer = await api.make("dcim/manufacturers", named("Acme"))
  const deviceType = await api.make("dcim/device-types", { manufacturer, model: "One", slug: "one" })
  client = startImageClient({ url: api.service.url, token, site, deviceType })
})
afterAll(async () => {
  await client.stop()
  await bystander.leave()
  await api.stop()
})

/** The results of the clients, and the observation of the bystanders meanwhile. */
const beside = async (work: Parameters<ImageClient["run"]>[0]) => {
  let results: ReadonlyArray<ClientResult> = []
  const seen = await bystander.during(async () => (results = await client.run(work)))
  return { results, statuses: results.map(({ status }) => status), seen }
}

describe("an upload, while others wait at most a second,", () => {
  test.each([true, false])("of 100 MB is refused as it arrives (chunked: %s)", async (isChunked) => {
    const { statuses, seen } = await beside({ kind: "pour", times: 8, mebibytes: 100, isChunked })
    // A client that continues to send may lose the answer with its connection.
    expect(statuses.filter((status) => ![0, 413].includes(status))).toEqual([])
    expectCalm(seen)
  })

  test("of images as large as they may be is stored beside many others", async () => {
    const { statuses, seen } = await beside({ kind: "upload", times: 6, image: "largest" })
    expect(statuses.filter((status) => ![201, 503].includes(status))).toEqual([])
    expect(statuses).toContain(201)
    expectCalm(seen)
  })

  test("of both images of a device type, as large as they may be, takes turns with others", async () => {
    const { statuses, seen } = await beside({ kind: "pair", times: 6 })
    expect(statuses.filter((status) => ![200, 503].includes(status))).toEqual([])
    expect(statuses).toContain(200)
    expectCalm(seen)
  })

  test("of an image of ten billion pixels is refused by its header", async () => {
    const { results, seen } = await beside({ kind: "upload", times: 1, image: "bomb" })
    expect(results).toMatchObject([{ status: 400, json: { image: [expect.stringContaining("pixels")] } }])
    expectCalm(seen)
  })

  test("that is served to many readers at once is read in parts", async () => {
    type Listed = { readonly results: ReadonlyArray<{ readonly image: string }> }
    const { image } = (await api.call<Listed>("GET", attachments)).json.results[0]!
    const { results, seen } = await beside({ kind: "read", times: 8, image })
    expect(Math.min(...results.map(({ bytes }) => bytes))).toBeGreaterThan(9 * 1024 * 1024)
    expectCalm(seen)
  })
})
