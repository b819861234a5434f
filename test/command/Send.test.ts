/** Files that are sent to a service: a busy service gets them again, a service that refuses them does not. */
import { createServer } from "node:http"
import { expect, it } from "vitest"
import { sendFiles } from "../../src/command/import/Send.ts"
import { listen } from "../deliver/Receiver.ts"

const file = { name: "a.yaml", text: "manufacturer: A\nmodel: B\n", isMarked: false }

/** A service that answers its requests with these statuses and bodies, one after the other. */
const start = async (...answers: ReadonlyArray<readonly [status: number, body: object]>) => {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    const [status, body] = answers[requests++] ?? [500, { detail: "a request too many" }]
    response.writeHead(status, { "retry-after": "0" }).end(JSON.stringify(body))
  })
  const url = `http://127.0.0.1:${await listen(server)}`
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
