import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Agent } from "undici"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { send } from "../../src/deliver/Send.ts"
import { listen } from "./Receiver.ts"

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0

describe.runIf(hasOpenssl)("a receiver with a certificate of its own", () => {
  let folder: string
  let keyFile: string
  let certificateFile: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rackwire-tls-"))
    keyFile = join(folder, "key.pem")
    certificateFile = join(folder, "certificate.pem")
    const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", keyFile]
    execFileSync("openssl", ["req", "-x509", "-days", "2", ...key, "-out", certificateFile, ...name], { stdio: "pipe" })
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  const attempt = async (host: string, connect: object) => {
    let requests = 0
    const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) }, (_, response) => {
      requests += 1
      response.end("taken")
    })
    const port = await listen(server)
    const agent = new Agent({ connect })
    onTestFinished(() => agent.destroy())
    const outgoing = { method: "POST", url: `https://${host}:${port}/`, headers: {}, body: Buffer.from("x") } as const
    return { ...(await Effect.runPromise(send(outgoing, agent, 10_000, 0))), requests }
  }

  test("is not trusted, and gets no request", async () => {
    const { response, failure, requests } = await attempt("localhost", {})
    expect(response).toBeUndefined()
    expect(failure).toMatchObject({ reason: "Tls", message: expect.stringContaining("self-signed") as string })
    expect(requests).toBe(0)
  })

  test("is trusted when the webhook names the certificate", async () => {
    const { response, failure } = await attempt("localhost", { ca: readFileSync(certificateFile) })
    expect(failure).toBeUndefined()
    expect(response).toEqual({ status: 200, body: "taken" })
  })

  test("is not trusted under a name that the certificate does not have", async () => {
    const { failure, requests } = await attempt("127.0.0.1", { ca: readFileSync(certificateFile) })
    expect(failure?.reason).toBe("Tls")
    expect(requests).toBe(0)
  })

  test("is taken as it is when the webhook asks for no verification", async () => {
    const { failure } = await attempt("localhost", { rejectUnauthorized: false })
    expect(failure).toBeUndefined()
  })
})
