/** The lines of docs/signin.md for nginx, with an endpoint that answers as oauth2-proxy does. nginx is a process. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type Server, createServer } from "node:http"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { openBrowser } from "../auth/Browser.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { needs } from "../support/Ledger.ts"
import { documentAt } from "./Steps.ts"

const program = "/usr/sbin/nginx"
const document = documentAt("docs/signin.md").split("## By the header of a proxy")[1]!

/** The first block of this language, or its lines as options. */
const blockOf = (language: string): string => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(document)![1]!
const options = Object.fromEntries(
  [...blockOf("ini").matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!])
)

let api: Api
let login: Server
let url: string
let stop = async () => {}

beforeAll(async () => {
  if (!existsSync(program)) return
  const { BASE_URL: _, ...others } = options
  api = await startApiAlone(others)
  // `who` is the cookie of the sign-in at oauth2-proxy: a name and its groups.
  login = createServer(({ url: path, headers }, response) => {
    const [, name, groups = ""] = /\bwho=([^:;]*):?([^;]*)/.exec(headers.cookie ?? "") ?? []
    if (path !== "/oauth2/auth") return void response.end("Sign in at the provider")
    if (name === undefined) return void response.writeHead(401).end()
    // By OpenID Connect the user is the subject, and the further headers have the name and the address.
    const headersOf = { user: name, groups, email: `${name}@example.org`, "preferred-username": `the name of ${name}` }
    response
      .writeHead(
        202,
        Object.entries(headersOf).flatMap(([key, value]) => [`x-auth-request-${key}`, value])
      )
      .end()
  })
  const [port = 0, loginPort = 0] = await freePorts(2)
  await new Promise<void>((resolve) => login.listen(loginPort, "127.0.0.1", resolve))
  const folder = mkdtempSync(join(tmpdir(), "rackwire-signin-"))
  const lines = blockOf("nginx").replaceAll("127.0.0.1:4180", `127.0.0.1:${loginPort}`)
  writeFileSync(
    join(folder, "conf"),
    `daemon off; user ${userInfo().username}; pid ${folder}/pid; error_log ${folder}/error; worker_processes 1;
     events {}
     http {
       access_log off;
       ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path ${folder}/${each};`).join("\n")}
       server { listen 127.0.0.1:${port};
         ${lines.replaceAll("127.0.0.1:8000", new URL(api.service.url).host)} }
     }`
  )
  const nginx = spawn(program, ["-c", join(folder, "conf"), "-p", folder, "-e", join(folder, "error")], {
    stdio: "ignore"
  })
  url = `http://127.0.0.1:${port}`
  stop = async () => {
    const ended = new Promise((resolve) => nginx.once("exit", resolve))
    nginx.kill()
    await ended
    rmSync(folder, { recursive: true })
  }
  await eventually("nginx answers", () =>
    fetch(url).then(
      () => true,
      () => false
    )
  )
})

afterAll(async () => {
  await stop()
  login?.close()
  await api?.stop()
})

describe.skipIf(!needs(program, existsSync(program), "apt-get install nginx-light"))(
  "nginx with the lines of the document",
  () => {
    const forged = { "x-remote-user": "admin", "x-remote-groups": "rackwire-admins" }
    const get = (path: string, headers: Record<string, string>) => fetch(url + path, { headers, redirect: "manual" })

    it("leads to the sign-in of the proxy without a login there, whatever a client sends", async () => {
      for (const headers of [{}, forged, { ...forged, x_remote_user: "admin" }])
        expect(await (await get("/", headers)).text()).toBe("Sign in at the provider")
    })

    it("signs in the user of the proxy with its groups, and ignores the headers of the client", async () => {
      const visitor = openBrowser(url, { accept: "text/html", ...forged, x_remote_user: "admin" })
      visitor.cookies.set("who", "ann:rackwire-admins,network")
      expect((await visitor.fetch("/users/groups/")).status).toBe(200)
      const body = JSON.stringify(named("Through nginx"))
      const headers = { "content-type": "application/json", "x-csrftoken": visitor.cookies.get("csrftoken")! }
      const add = () => visitor.fetch("/api/dcim/sites/", { method: "POST", body, headers })
      expect((await add()).status).toBe(201)
      visitor.cookies.set("who", "ann:network")
      expect((await add()).status).toBe(403)
      const rows = await api.database.sql.query(
        "select username, email, is_superuser from users_user where username <> 'admin' order by 1"
      )
      // No option takes an address from a header.
      expect(rows).toEqual([{ username: "ann", email: "", is_superuser: false }])
    })

    it("lets a token through to its own user, with or without a login at the proxy", async () => {
      const user = await makeUser(api, "program", { types: ["dcim.site"], actions: ["add", "view"] })
      for (const cookie of ["", "who=ann:rackwire-admins"]) {
        const headers = { ...forged, cookie, authorization: `Token ${user.token}` }
        expect((await get("/api/dcim/sites/", headers)).status).toBe(200)
        expect((await get("/api/users/permissions/", headers)).status).toBe(403)
      }
      const wrong = { ...forged, authorization: `Token ${"0".repeat(40)}` }
      expect((await get("/api/dcim/sites/", wrong)).status).toBe(403)
    })
  }
)
