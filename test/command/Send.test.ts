/** Files that are sent to a service: one that is busy gets them again, and one that refuses them does not. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { sendFiles } from "../../src/command/import/Send.ts"

const file = { name: "a.yaml", text: "manufacturer: A\nmodel: B\n", isMarked: false }

const servers: Array<{ readonly close: () => void }> = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A service that answers its requests with these statuses and bodies, one after the other. */
const start = async (...answers: ReadonlyArray<readonly [status: number, body: object]>) => {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    const [status, body] = answers[requests++] ?? [500, { detail: "a request too many" }]
    response.writeHead(status, { "retry-after": "0" }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  servers.push({ close: () => server.close() })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { send: () => sendFiles({ url, token: "t" }, "device-types", [file], false), requests: () => requests }
}

const report = { created: 1, unchanged: 0, templates: 0, pictures: 0, manufacturers: ["A"] }

it.each([503, 429])("a service that answers %i is sent the files again", async (status) => {
  const { send, requests } = await start([status, {}], [200, report])
  expect([await send(), requests()]).toEqual([{ report }, 2])
})

it("a service that refuses a line is sent the files once, and its error is that of the file", async () => {
  const refusal = { errors: [{ line: 2, errors: { model: ["Too long."] } }] }
  const { send, requests } = await start([400, refusal], [200, report])
  expect([await send(), requests()]).toEqual([
    { errors: [{ file: "a.yaml", line: 2, message: "model: Too long." }] },
    1
  ])
})

it("a service that refuses the sender is sent the files once", async () => {
  const { send, requests } = await start([403, { detail: "Forbidden" }], [200, report])
  await expect(send()).rejects.toThrow('The service answered 403: {"detail":"Forbidden"}')
  expect(requests()).toBe(1)
})
