/** Deliveries through a real proxy: a server that answers CONNECT and passes bytes on. */
import { readFileSync } from "node:fs"
import { type Server, createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import type { ConnectionOptions } from "../../src/transport/Connector.ts"
import { type TargetRules, readRules } from "../../src/transport/TargetPolicy.ts"
import { isExcepted, proxyProblem } from "../../src/transport/Tunnel.ts"
import { hasOpenssl, makeCertificate } from "../support/Certificate.ts"
import { connections, listen, nobody, receiver, sent } from "../deliver/Receiver.ts"

/** A proxy that records the requested targets, with their credentials. */
const startProxy = async (answer = "200 Connection established") => {
  const asked: Array<{ readonly target: string; readonly credentials: string | undefined }> = []
  const server = createServer().on("connect", (request, near) => {
    asked.push({ target: request.url!, credentials: request.headers["proxy-authorization"] })
    near.on("error", () => {})
    near.write(`HTTP/1.1 ${answer}\r\n\r\n`)
    if (!answer.startsWith("200")) return void near.end()
    const [, host, port] = /^(.*):(\d+)$/.exec(request.url!)!
    const far = connect(Number(port), host).on("error", () => near.destroy())
    near.pipe(far).pipe(near)
  })
  return { asked, server, url: new URL(`http://user:pass%40word@127.0.0.1:${await listen(server)}`) }
}

const post = async (url: string, options: Partial<ConnectionOptions>) => {
  const outgoing = { method: "POST", url, headers: {}, body: Buffer.from("x") } as const
  const { response, failure, phases } = await sent(outgoing, connections(options), 5000)
  return { answer: failure?.reason ?? response?.status, body: response?.body, message: failure?.message, phases }
}

const resolve = async () => [{ address: "127.0.0.1", family: 4 }]

describe("a proxy", () => {
  it("is asked to connect to the receiver's address, with the credentials", async () => {
    const proxy = await startProxy()
    const { port } = new URL(await receiver((_, response) => response.end("taken")))
    const options = { proxy: { url: proxy.url, except: [] }, resolve }
    const sent = await post(`http://receiver.test:${port}/`, options)
    expect(sent).toMatchObject({ answer: 200, body: "taken" })
    expect(sent.phases.connect).toBeGreaterThanOrEqual(0)
    const credentials = `Basic ${Buffer.from("user:pass@word").toString("base64")}`
    expect(proxy.asked).toEqual([{ target: `127.0.0.1:${port}`, credentials }])
  })

  it.runIf(hasOpenssl)("sees nothing of what is secure, and the receiver's certificate is checked", async () => {
    const certificate = makeCertificate()
    onTestFinished(() => certificate.remove())
    const [key, cert] = [certificate.keyFile, certificate.certificateFile].map((file) => readFileSync(file, "utf8"))
    const server: Server = createSecureServer({ key, cert }, (_, response) => response.end("in secret"))
    const port = await listen(server)
    const proxy = await startProxy()
    const options = { proxy: { url: proxy.url, except: [] }, resolve }
    const url = `https://localhost:${port}/`
    expect(await post(url, { ...options, tls: { authority: () => Promise.resolve(cert!) } })).toMatchObject({
      answer: 200,
      body: "in secret"
    })
    expect(await post(url, options)).toMatchObject({ answer: "Tls" })
    expect(
      await post(`https://another.test:${port}/`, { ...options, tls: { authority: () => Promise.resolve(cert!) } })
    ).toMatchObject({
      answer: "Tls"
    })
  })

  it("is not asked for an address that the policy refuses, nor for a name of one", async () => {
    const proxy = await startProxy()
    const rules = readRules("public", [], []) as TargetRules
    const options = { rules, proxy: { url: proxy.url, except: [] }, resolve }
    expect((await post("http://127.0.0.1:9/", options)).answer).toBe("Blocked")
    expect((await post("http://0x7f.1:9/", options)).answer).toBe("Blocked")
    expect((await post("http://receiver.test:9/", options)).answer).toBe("Blocked")
    expect(proxy.asked).toEqual([])
  })

  it("that refuses or is away is distinguished from a receiver that fails", async () => {
    const refusing = await startProxy("407 Proxy Authentication Required")
    const url = "http://127.0.0.1:9/"
    const refused = await post(url, { proxy: { url: refusing.url, except: [] } })
    expect(refused).toMatchObject({ answer: "Proxy", message: expect.stringMatching(/answered 407$/) as string })
    expect(refused.message).not.toContain("pass")
    const absent = await post(url, { proxy: { url: new URL(await nobody()), except: [] } })
    expect(absent.answer).toBe("Proxy")
  })

  it("is left out for the hosts that are excepted", async () => {
    const proxy = await startProxy()
    const url = await receiver((_, response) => response.end("directly"))
    expect(await post(url, { proxy: { url: proxy.url, except: ["127.0.0.1"] } })).toMatchObject({ body: "directly" })
    expect(proxy.asked).toEqual([])
    const rules = { url: proxy.url, except: [".example.org", "one.test"] }
    const hosts = ["a.example.org", "example.org", "badexample.org", "one.test", "two.one.test"]
    expect(hosts.map((host) => isExcepted(rules, host))).toEqual([true, true, false, true, false])
  })

  it("has a valid address, or the start fails with the reason", () => {
    expect(["http://a:3128", "https://u:p@a", "socks5://a", "a:3128", "http://a/path"].map(proxyProblem)).toEqual([
      undefined,
      undefined,
      ...Array.from({ length: 3 }, () => expect.stringContaining("http://host:port") as string)
    ])
  })
})
