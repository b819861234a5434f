/** Uploads made to occupy the service, as a process, because its memory and the waits of others are measured. */
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { formOf, gif, png } from "../support/Images.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

let api: Api<ServiceProcess>
let bystander: Bystander
let token: string
let site: number

const path = "/api/extras/image-attachments/"

beforeAll(async () => {
  api = await startApiProcess()
  bystander = await Bystander.arrive(api)
  token = await api.newToken()
  site = await api.make("dcim/sites", named("Oslo"))
})
afterAll(async () => {
  await bystander.leave()
  await api.stop()
})

const mebibyte = 1024 * 1024

const upload = async (bytes: Uint8Array) => {
  const body = formOf({ content_type: "dcim.site", object_id: `${site}` }, bytes)
  const headers = { authorization: `Token ${token}` }
  const response = await fetch(api.service.url + path, { method: "POST", headers, body })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

/** Sends a body of so many mebibytes in pieces, with its length or without; returns the status, or 0 if it was cut off. */
const pour = (mebibytes: number, isChunked: boolean): Promise<number> =>
  new Promise((resolve) => {
    const headers = {
      authorization: `Token ${token}`,
      "content-type": "multipart/form-data; boundary=x",
      ...(!isChunked && { "content-length": `${mebibytes * mebibyte}` })
    }
    const sending = request(api.service.url + path, { method: "POST", headers })
    sending.on("response", (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
      sending.destroy()
    })
    sending.on("error", () => resolve(0))
    const piece = Buffer.alloc(mebibyte, '--x\r\nContent-Disposition: form-data; name="image"; filename="x"\r\n\r\n')
    let left = mebibytes
    const more = () => {
      while (left > 0 && !sending.destroyed) {
        left -= 1
        if (!sending.write(piece)) return void sending.once("drain", more)
      }
      sending.end()
    }
    more()
  })

describe("an upload, while others wait at most a second,", () => {
  test.each([true, false])("of 100 MB is refused as it arrives (chunked: %s)", async (isChunked) => {
    let statuses: ReadonlyArray<number> = []
    const seen = await bystander.during(async () => {
      statuses = await Promise.all(Array.from({ length: 8 }, () => pour(100, isChunked)))
    })
    // A client that continues to send may lose the answer with its connection.
    expect(statuses.filter((status) => ![0, 413].includes(status))).toEqual([])
    expectCalm(seen)
  })

  test("of images as large as they may be is stored beside many others", async () => {
    let statuses: ReadonlyArray<number> = []
    const image = Buffer.concat([gif(1, 1), Buffer.alloc(10 * mebibyte - 100, 1)])
    const seen = await bystander.during(async () => {
      const replies = await Promise.all(Array.from({ length: 6 }, () => upload(image)))
      statuses = replies.map(({ status }) => status)
    })
    expect(statuses.filter((status) => ![201, 503].includes(status))).toEqual([])
    expect(statuses).toContain(201)
    expectCalm(seen)
  })

  test("of an image of ten billion pixels is refused by its header", async () => {
    const bomb = Buffer.concat([png(100_000, 100_000), Buffer.alloc(9 * mebibyte)])
    let reply: Awaited<ReturnType<typeof upload>> | undefined
    const seen = await bystander.during(async () => (reply = await upload(bomb)))
    expect(reply).toMatchObject({ status: 400, json: { image: [expect.stringContaining("pixels")] } })
    expectCalm(seen)
  })

  test("that is served to many readers at once is read in parts", async () => {
    const { results } = (await api.call<{ readonly results: ReadonlyArray<{ readonly image: string }> }>("GET", path))
      .json
    let bytes = 0
    const seen = await bystander.during(async () => {
      const headers = { authorization: `Token ${token}` }
      const all = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const reply = await fetch(results[0]!.image, { headers })
          return (await reply.arrayBuffer()).byteLength
        })
      )
      bytes = Math.min(...all)
    })
    expect(bytes).toBeGreaterThan(9 * mebibyte)
    expectCalm(seen)
  })
})
