/** The configurations of docs/production.md, carried out by the proxies that this machine has. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { type Api, startApi } from "../support/Api.ts"
import { type Certificate, hasOpenssl, makeCertificate } from "../support/Certificate.ts"
import { named, password } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { needs } from "../support/Ledger.ts"
import { startReceiver } from "../support/Receiver.ts"
import { documentAt } from "./Steps.ts"

interface Proxy {
  readonly program: string
  readonly remedy: string
  /** The file that has the block of the document. */
  readonly configuration: (block: string, folder: string) => string
  readonly args: (file: string, folder: string) => ReadonlyArray<string>
}

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: "/usr/sbin/nginx",
    remedy: "apt-get install nginx-light",
    configuration: (block, folder) => `
      daemon off; user ${userInfo().username}; pid ${folder}/pid; error_log ${folder}/error; worker_processes 1;
      events {}
      http {
        access_log off;
        ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path ${folder}/${each};`).join("\n")}
        ${block}
      }`,
    args: (file, folder) => ["-c", file, "-p", folder, "-e", join(folder, "error")]
  },
  haproxy: {
    program: "/usr/sbin/haproxy",
    remedy: "apt-get install haproxy",
    configuration: (block) => block,
    args: (file) => ["-db", "-f", file]
  },
  caddy: {
    program: "/usr/bin/caddy",
    remedy: "apt-get install caddy",
    // A certificate of our own in place of one of Let's Encrypt.
    configuration: (block, folder) =>
      `{\nadmin off\nauto_https disable_redirects\n}\n${block.replace("{\n", `{\n  tls ${folder}/certificate.pem ${folder}/key.pem\n`)}`,
    args: (file) => ["run", "--config", file, "--adapter", "caddyfile"]
  }
}

/** The block of the document in this language. */
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(documentAt("docs/production.md"))![1]!

let api: Api
let certificate: Certificate
let servicePort: number
let webhook: number

/** The proxy's port: a service has one BASE_URL, so all proxies listen on the same port in turn. */
let port: number

beforeAll(async () => {
  if (!hasOpenssl) return
  certificate = makeCertificate()
  ;[servicePort, port] = (await freePorts(2)) as [number, number]
  const direct = `http://127.0.0.1:${servicePort}`
  api = await startApi({ PORT: `${servicePort}`, TRUSTED_PROXIES: "127.0.0.1", BASE_URL: direct })
  const { url } = await startReceiver()
  webhook = await api.make("extras/webhooks", {
    ...{ name: "proxied", content_types: ["dcim.site"], type_create: true, payload_url: url }
  })
})

afterAll(async () => {
  await api?.stop()
  certificate?.remove()
})

const startProxy = async (name: string): Promise<void> => {
  const { program, configuration, args } = proxies[name]!
  const folder = mkdtempSync(join(tmpdir(), `rackwire-${name}-`))
  const [cert, key] = [certificate.certificateFile, certificate.keyFile].map((file) => readFileSync(file, "utf8"))
  writeFileSync(join(folder, "certificate.pem"), cert!)
  writeFileSync(join(folder, "key.pem"), key!)
  writeFileSync(join(folder, "both.pem"), cert! + key!)
  const here = blockOf(name)
    .replaceAll("/etc/ssl/rackwire/", `${folder}/`)
    .replaceAll("127.0.0.1:8000", `127.0.0.1:${servicePort}`)
    .replaceAll("rackwire.example.org {", `localhost:${port} {`)
    .replaceAll("rackwire.example.org", "localhost")
    .replaceAll(/listen 443|bind :443/g, (line) => line.replace(/:?443/, `127.0.0.1:${port}`))
  const file = join(folder, "configuration")
  writeFileSync(file, configuration(here, folder))
  const child = spawn(program, args(file, folder), { stdio: "pipe", env: { ...process.env, HOME: folder } })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)))
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  onTestFinished(async () => {
    child.kill()
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  await eventually(`${name} answers`, async () => {
    if (child.exitCode !== null) throw new Error(output)
    return (await through("GET", "/health/ready").catch(() => undefined))?.status === 200
  })
}

interface Parts {
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Ends the answer once its text has this. */
  readonly until?: string
}

/** A request through the proxy, over TLS. */
const through = (method: string, path: string, { headers = {}, body, until }: Parts = {}) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | Array<string>>; text: string }>((resolve, reject) => {
    const options = {
      method,
      path,
      host: "127.0.0.1",
      port,
      servername: "localhost",
      rejectUnauthorized: false
    }
    const sent = request({ ...options, headers: { host: `localhost:${port}`, ...headers } }, async (reply) => {
      let text = ""
      for await (const chunk of reply) {
        text += String(chunk)
        if (until !== undefined && text.includes(until)) break
      }
      resolve({ status: reply.statusCode!, headers: reply.headers, text })
    })
    sent.on("error", reject).end(body)
  })

describe.each(Object.keys(proxies))("%s", (name) => {
  const { program, remedy } = proxies[name]!
  const isThere = needs(name, existsSync(program), remedy)

  it.runIf(isThere && hasOpenssl)("publishes the service as the document says", { timeout: 300_000 }, async () => {
    await startProxy(name)
    const origin = `https://localhost:${port}`
    const cookies = new Map<string, string>()
    const browse = async (method: string, path: string, parts: Parts = {}) => {
      const cookie = Array.from(cookies, (pair) => pair.join("=")).join("; ")
      const reply = await through(method, path, {
        ...parts,
        headers: { accept: "text/html", cookie, ...parts.headers }
      })
      for (const line of [reply.headers["set-cookie"] ?? []].flat()) {
        const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line)!
        cookies.set(key, value)
      }
      return reply
    }
    const send = async (path: string, fields: Record<string, string>) => {
      const { text } = await browse("GET", path)
      const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(text)![1]!
      const body = new URLSearchParams({ csrfmiddlewaretoken, ...fields }).toString()
      const headers = {
        origin,
        "content-type": "application/x-www-form-urlencoded",
        "content-length": `${body.length}`
      }
      return browse("POST", path, { headers, body })
    }
    expect((await send("/login/", { username: "admin", password })).status).toBe(302)
    // The headers of the proxy count: cookies are for TLS, and the form is the service's own.
    expect(cookies.has("__Host-sessionid")).toBe(true)
    const added = await send("/dcim/sites/add/", { ...named(`Through ${name}`), status: "active" })
    expect([added.status, added.headers.location]).toEqual([302, expect.stringMatching(/^\/dcim\/sites\/\d+\/$/)])
    // The client's address is the one that the proxy names, not one that the client claims.
    const claimed = { "x-forwarded-for": "192.0.2.1", "x-forwarded-host": "evil.example" }
    expect((await through("GET", "/metrics", { headers: claimed })).status).toBe(200)
    const live = { accept: "text/event-stream" }
    const stream = await browse("GET", `/extras/webhooks/${webhook}/`, { headers: live, until: "data: {}" })
    expect(stream.headers["content-type"]).toContain("text/event-stream")
    const authorization = `Token ${await api.newToken()}`
    const rows = Array.from({ length: 1200 }, (_, at) => `${name} ${at},${name}-${at},${"x".repeat(10_000)}`)
    const file = ["name,slug,comments", ...rows].join("\n")
    const headers = { authorization, "content-type": "text/csv", "content-length": `${file.length}` }
    const imported = await through("POST", "/api/dcim/sites/import/?dry_run=true", { headers, body: file })
    expect([imported.status, JSON.parse(imported.text)]).toEqual([200, expect.objectContaining({ created: 1200 })])
    const long = await through("GET", `/api/dcim/sites/?q=${"x".repeat(15_000)}`, { headers: { authorization } })
    expect([long.status, long.text]).toEqual([200, expect.stringContaining('"count":0')])
  })
})
