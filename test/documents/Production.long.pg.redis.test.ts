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
  /** Lines of the block, and those that take their place under a path, as the document says. */
  readonly passesOn: ReadonlyArray<readonly [line: string, instead: string]>
  readonly strips: ReadonlyArray<readonly [line: string, instead: string]>
}

const backend = "http://127.0.0.1:8000"
const nginxPath = ["location / {", "location /rackwire/ {"] as const
const haproxyPath = ["default_backend rackwire", "use_backend rackwire if { path_beg /rackwire/ }"] as const
const haproxyRewrite = String.raw`http-request replace-path /rackwire/(.*) /\1`
const caddyProxy = "reverse_proxy 127.0.0.1:8000"

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
    args: (file, folder) => ["-c", file, "-p", folder, "-e", join(folder, "error")],
    passesOn: [nginxPath],
    strips: [nginxPath, [`proxy_pass ${backend};`, `proxy_pass ${backend}/;`]]
  },
  haproxy: {
    program: "/usr/sbin/haproxy",
    remedy: "apt-get install haproxy",
    configuration: (block) => block,
    args: (file) => ["-db", "-f", file],
    passesOn: [haproxyPath],
    strips: [haproxyPath, ["  option httpchk", `  ${haproxyRewrite}\n  option httpchk`]]
  },
  caddy: {
    program: "/usr/bin/caddy",
    remedy: "apt-get install caddy",
    // A certificate of our own in place of one of Let's Encrypt.
    configuration: (block, folder) =>
      `{\nadmin off\nauto_https disable_redirects\n}\n${block.replace("{\n", `{\n  tls ${folder}/certificate.pem ${folder}/key.pem\n`)}`,
    args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
    passesOn: [[caddyProxy, "reverse_proxy /rackwire/* 127.0.0.1:8000"]],
    strips: [[caddyProxy, `handle_path /rackwire/* {\n${caddyProxy}\n}`]]
  }
}

/** The block of the document in this language. */
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(documentAt("docs/production.md"))![1]!

let api: Api
/** Under a path. */
let published: Api
let certificate: Certificate
let webhook: number

/** The port of the proxies, in turn, and that of the service under a path. */
let port: number
let publishedPort: number

beforeAll(async () => {
  if (!hasOpenssl) return
  certificate = makeCertificate()
  port = (await freePorts(1))[0]!
  api = await startApi({ TRUSTED_PROXIES: "127.0.0.1" })
  publishedPort = (await freePorts(1))[0]!
  const address = { BASE_URL: `https://localhost:${port}/rackwire`, PORT: `${publishedPort}` }
  published = await startApi(
    { ...address, TRUSTED_PROXIES: "127.0.0.1", METRICS_ACCESS: "127.0.0.1" },
    { roles: ["api"] }
  )
  const { url } = await startReceiver()
  webhook = await api.make("extras/webhooks", {
    ...{ name: "proxied", content_types: ["dcim.site"], type_create: true, payload_url: url }
  })
})

afterAll(async () => {
  await api?.stop()
  await published?.stop()
  certificate?.remove()
})

/** Starts a proxy for a service; `changes` are made to the lines of the document. */
const startProxy = async (name: string, servicePort: number, changes: Proxy["strips"] = []): Promise<void> => {
  const { program, configuration, args } = proxies[name]!
  const folder = mkdtempSync(join(tmpdir(), `rackwire-${name}-`))
  const [cert, key] = [certificate.certificateFile, certificate.keyFile].map((file) => readFileSync(file, "utf8"))
  writeFileSync(join(folder, "certificate.pem"), cert!)
  writeFileSync(join(folder, "key.pem"), key!)
  writeFileSync(join(folder, "both.pem"), cert! + key!)
  const block = changes.reduce((text, [line, instead]) => {
    expect(text).toContain(line)
    return text.replace(line, instead)
  }, blockOf(name))
  const here = block
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
    const path = changes.length === 0 ? "" : "/rackwire"
    return (await through("GET", `${path}/health/ready`).catch(() => undefined))?.status === 200
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

/** A browser as far as forms need one: it keeps cookies and names the origin of a form. */
const visitor = () => {
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
      origin: `https://localhost:${port}`,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": `${body.length}`
    }
    return browse("POST", path, { headers, body })
  }
  return { browse, send, cookies }
}

describe.each(Object.keys(proxies))("%s", (name) => {
  const { program, remedy } = proxies[name]!
  const isThere = needs(name, existsSync(program), remedy)

  it.runIf(isThere && hasOpenssl)("publishes the service as the document says", { timeout: 300_000 }, async () => {
    await startProxy(name, Number(new URL(api.service.url).port))
    const { browse, send, cookies } = visitor()
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

  it.runIf(isThere && hasOpenssl).each(["passesOn", "strips"] as const)(
    "publishes it under a path: %s",
    async (how) => {
      for (const [, instead] of proxies[name]![how]) {
        // Names of lines that the document shows in its table.
        const [line = ""] = instead.split("\n").map((each) => each.trim())
        expect(documentAt("docs/production.md")).toContain(line)
      }
      await startProxy(name, publishedPort, proxies[name]![how])
      const { browse, send, cookies } = visitor()
      const { status, headers } = await send("/rackwire/login/", { username: "admin", password, next: "/dcim/sites/" })
      expect([status, headers.location]).toEqual([302, "/rackwire/dcim/sites/"])
      expect(cookies.has("__Secure-sessionid")).toBe(true)
      const list = await browse("GET", "/rackwire/dcim/sites/")
      expect([list.status, list.text]).toEqual([200, expect.stringContaining('href="/rackwire/dcim/sites/add/"')])
      const [style = ""] = /\/rackwire\/static\/app\.css[^"]*/.exec(list.text) ?? []
      expect((await browse("GET", style)).headers["content-type"]).toContain("text/css")
      expect((await send("/rackwire/dcim/sites/add/", { ...named(`${name} ${how}`), status: "active" })).status).toBe(
        302
      )
    }
  )
})
