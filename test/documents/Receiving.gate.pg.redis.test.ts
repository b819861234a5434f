/** The examples of docs/receiving.md, with requests that a running service signed and sent. */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { signatureHeaders } from "../../src/webhook/Sign.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import type { Received } from "../support/Receiver.ts"
import { blocksOf, codeOf, filled, messagesOf, readDocument, rowsOf } from "./Document.ts"
import { isThorough } from "../support/Seed.ts"
import { type Verifier, verifiers } from "./Verifiers.ts"

const document = readDocument("receiving.md")
const blocks = blocksOf(document)

const textOf = (role: string): ReadonlyArray<string> =>
  blocks.filter((block) => block.role === role).map(({ text }) => text)

const hooks = startDelivering()

const hostile = `quotes " ' \`id\` $(id) ''' %s \\ </script> é 漢字 \u2028`

/** The request that this webhook sends for a new tag. */
const requestOf = async (name: string, fields: Json): Promise<Received> => {
  await hooks.webhook(name, fields)
  await hooks.api.call("POST", "/api/extras/tags/", { ...named(`${name} tag`), description: hostile })
  await hooks.arrived(name, 1)
  return hooks.at(name)[0]!
}

type Headers = Readonly<Record<string, string>>

interface Case {
  readonly scheme: "netbox" | "standard"
  readonly secret: string
  readonly headers: Headers
  readonly body: Buffer
}

const signing = [
  "x-hook-signature",
  "x-hook-signature-previous",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature"
]

const secrets = { new: 'it\'s a "new" secret é', old: `whsec_${Buffer.alloc(32, "\xff\0k").toString("base64")}` }

/** By what is wrong with them; those that begin with "right" are valid. */
let cases: Readonly<Record<string, Case>>

const casesOf = (received: Received): Readonly<Record<string, Case>> => {
  const found = signing.flatMap((name) => (name in received.headers ? [[name, String(received.headers[name])]] : []))
  const headers = Object.fromEntries(found) as Headers
  const { body } = received
  const changed = Buffer.from(body).fill(body[9]! ^ 1, 9, 10)
  const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name))
  const both = (scheme: Case["scheme"], name: string): Readonly<Record<string, Case>> => {
    const right = { scheme, secret: secrets.new, headers, body }
    const alone = { ...headers, [name]: headers[name]!.split(" ")[0]!, "x-hook-signature-previous": "" }
    return {
      [`right ${scheme}`]: right,
      [`right ${scheme}, by the old secret`]: { ...right, secret: secrets.old },
      [`${scheme}: wrong secret`]: { ...right, secret: "another secret" },
      [`${scheme}: the old secret, after it was replaced`]: { ...right, secret: secrets.old, headers: alone },
      [`${scheme}: changed body`]: { ...right, body: changed },
      [`${scheme}: body cut`]: { ...right, body: body.subarray(0, -1) },
      [`${scheme}: signature too short`]: { ...right, headers: { ...alone, [name]: alone[name]!.slice(0, -2) } },
      [`${scheme}: signature too long`]: { ...right, headers: { ...alone, [name]: `${alone[name]}00` } },
      [`${scheme}: signature of another character set`]: { ...right, headers: { ...alone, [name]: "é漢" } },
      [`${scheme}: empty signature`]: { ...right, headers: { ...alone, [name]: "" } },
      [`${scheme}: no header`]: { ...right, headers: { "webhook-id": headers["webhook-id"]! } }
    }
  }
  const standard = { scheme: "standard", secret: secrets.new, headers, body } as const
  const at = (seconds: number) => {
    const timestamp = Number(headers["webhook-timestamp"]) + seconds
    const id = headers["webhook-id"]!
    return signatureHeaders({ style: "standard", secret: secrets.new, previous: "" }, { id, timestamp, body })
  }
  return {
    ...both("netbox", "x-hook-signature"),
    ...both("standard", "webhook-signature"),
    "standard: another id": { ...standard, headers: { ...headers, "webhook-id": "1-2-3" } },
    "standard: another time": {
      ...standard,
      headers: { ...headers, "webhook-timestamp": `${(Date.now() / 1000) | 0}1` }
    },
    "standard: no time": { ...standard, headers: without("webhook-timestamp") },
    "standard: a time that is no number": { ...standard, headers: { ...headers, "webhook-timestamp": "now²" } },
    "standard: signed ten minutes ago": { ...standard, headers: at(-600) },
    "standard: signed for a time to come": { ...standard, headers: at(600) }
  }
}

const folder = mkdtempSync(join(tmpdir(), "receiving-"))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  cases = casesOf(
    await requestOf("signed", { secret: secrets.new, previous_secret: secrets.old, signature: "standard" })
  )
})

const environment = { PATH: process.env["PATH"], HOME: process.env["HOME"], LC_ALL: "C.UTF-8", GO111MODULE: "off" }

/** Puts the example of the document and the program that calls it into a folder, and builds it; returns the folder. */
const made = ({ language, file, main: [mainFile, mainText], build }: Verifier): string => {
  const examples = blocks.filter((block) => block.role === "verify" && block.language === language)
  expect(examples).toHaveLength(1)
  const cwd = join(folder, language)
  mkdirSync(cwd)
  writeFileSync(join(cwd, file), examples[0]!.text)
  writeFileSync(join(cwd, mainFile), mainText)
  if (build !== undefined) {
    const { status, stderr } = spawnSync(build[0], build.slice(1), { cwd, env: environment, encoding: "utf8" })
    expect([status, stderr]).toEqual([0, ""])
  }
  return cwd
}

const verdict = (
  { run: [command, ...words] }: Verifier,
  cwd: string,
  { scheme, secret, headers, body }: Case
): string => {
  const variables = Object.entries(headers).map(([name, value]) => [
    `HTTP_${name.toUpperCase().replaceAll("-", "_")}`,
    value
  ])
  const env = { ...environment, SCHEME: scheme, SECRET: secret, ...Object.fromEntries(variables) }
  const { stdout, stderr } = spawnSync(command, words, { cwd, env, input: body, encoding: "utf8" })
  return stdout.trim() + stderr
}

/** Languages whose programs start fast; the others are run with more effort than usual. */
const fast = new Set(["javascript"])

describe("the example that verifies a signature", () => {
  it.for(verifiers.filter(({ language }) => isThorough || fast.has(language)))(
    "in $language accepts what is signed with its secret and nothing else",
    (verifier, { skip }) => {
      const missing = [verifier.build?.[0], verifier.run[0]].find(
        (command) => command !== undefined && !command.startsWith("./") && spawnSync("which", [command]).status !== 0
      )
      if (missing !== undefined) skip(`${missing} is not installed`)
      const cwd = made(verifier)
      const told = Object.entries(cases).map(([what, each]) => [what, verdict(verifier, cwd, each)])
      const expected = Object.keys(cases).map((what) => [what, what.startsWith("right") ? "valid" : "invalid"])
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected))
    }
  )

  it("is there for eight languages", () => {
    expect(blocks.filter(({ role }) => role === "verify").map(({ language }) => language)).toEqual(
      verifiers.map(({ language }) => language)
    )
    expect(verifiers).toHaveLength(8)
  })
})

it("a request has the headers and the body that the document shows", async () => {
  const [message] = messagesOf(textOf("requests")[0]!)
  const received = await requestOf("inventory", { secret: "s", signature: "standard" })
  const headers = Object.fromEntries(message!.headers.map(([name]) => [name, received.headers[name]]))
  const actual = { method: received.method, path: received.path, headers, body: JSON.parse(received.body.toString()) }
  const shown = { ...message, headers: Object.fromEntries(message!.headers), body: JSON.parse(message!.body) }
  expect(actual).toEqual(filled(shown, actual))
})

describe("an answer", () => {
  const rows = rowsOf(document, "answer | delivery | so").map(([answer = "", status = "", so = ""], at) => ({
    ...{ at, answer: codeOf(answer), status: codeOf(status), disables: so.includes("disabled") }
  }))

  /** A receiver that answers as the row says whose number is its path. */
  const startAnswering = async (): Promise<string> => {
    const server = createServer((request, response) => {
      const [status, name, ...value] = rows[Number(request.url!.slice(1))]!.answer.split(" ")
      if (name !== undefined) response.setHeader(name.slice(0, -1), value.join(" "))
      response.writeHead(Number(status)).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it.for(rows)("of $answer makes the delivery $status", async ({ at, answer, status, disables }) => {
    const name = `answer${at}`
    const id = await hooks.webhook(name, { payload_url: `${await startAnswering()}/${at}` })
    await hooks.tag(`${name} tag`)
    const { next_attempt: next } = await hooks.delivery(id, status)
    const seconds = next === null ? 0 : (Date.parse(next) - Date.now()) / 1000
    expect(seconds > 100).toBe(answer.includes("retry-after"))
    await eventually(`the webhook is ${disables ? "disabled" : "enabled"}`, async () => {
      const { json } = await hooks.api.call<Json>("GET", `/api/extras/webhooks/${id}/`)
      return json["enabled"] === !disables && (json["disabled_note"] !== "") === disables
    })
  })
})

describe("the statements", () => {
  const statement = (role: string): string => textOf(role)[0]!.trim().replace(/;$/, "")

  beforeAll(async () => {
    for (const text of textOf("setup")) await hooks.api.database.sql.query(text)
  })

  it("let a delivery be done once, and again if the work failed", async () => {
    const { sql } = hooks.api.database
    const remember = async (id: string) => (await sql.query(statement("remember"), [id])).length
    expect([await remember("1-2-3"), await remember("1-2-3"), await remember("1-2-4")]).toEqual([1, 0, 1])
    const failing = sql.transaction(statement("remember").replace("$1", "'1-2-5'"), "select 1 / 0")
    await expect(failing).rejects.toThrow("division by zero")
    expect(await remember("1-2-5")).toBe(1)
    await sql.query("update received set received_at = now() - interval '33 days' where delivery_id = '1-2-3'")
    await sql.query(statement("forget"))
    expect([await remember("1-2-3"), await remember("1-2-4")]).toEqual([1, 0])
  })

  it("keep the newest state of an object, in whatever order requests come", async () => {
    const { sql } = hooks.api.database
    await hooks.webhook("ordered", { type_update: true, type_delete: true })
    const { id } = (await hooks.tag("ordered tag")).json
    await hooks.api.call("PATCH", `/api/extras/tags/${id}/`, { color: "aa1409" })
    await hooks.api.call("DELETE", `/api/extras/tags/${id}/`)
    await hooks.arrived("ordered", 3)
    const kept = async (event: string) => {
      const received = hooks.at("ordered").find(({ body }) => JSON.parse(body.toString()).event === event)!
      const { data, snapshots } = JSON.parse(received.body.toString())
      const state = JSON.stringify(snapshots.postchange)
      await sql.query(statement("keep"), [`${data.id}`, received.headers["x-hook-delivery"], state])
      const [row] = await sql.query<{ state: Json | null }>("select state from device where id = $1", [id])
      return row!.state && row!.state["color"]
    }
    expect([await kept("updated"), await kept("created"), await kept("updated")]).toEqual(Array(3).fill("aa1409"))
    expect([await kept("deleted"), await kept("updated")]).toEqual([null, null])
  })
})

it("what is sent again has the ids that the document shows", async () => {
  const id = await hooks.webhook("again", {})
  await hooks.tag("again tag")
  const delivery = await hooks.delivery(id, "successful")
  const path = `/api/extras/webhooks/${id}/`
  await hooks.api.call("POST", `/api/extras/deliveries/${delivery.id}/retry/`, { again: true })
  await hooks.arrived("again", 2)
  await hooks.api.call("POST", `${path}replay/`, { since: "2000-01-01" })
  await hooks.arrived("again", 3)
  await hooks.api.call("POST", `${path}test/`)
  await hooks.arrived("again", 4)
  const [, ...ids] = hooks.at("again").map(({ headers }) => String(headers["x-hook-delivery"]))
  const shown = rowsOf(document, "what somebody does | id").map(([, cell = ""]) => /`(.+)`/.exec(cell)![1]!)
  const shape = (text: string) => text.replace(/t[\da-f]{8}$/, "t#").replaceAll(/\d+/g, "#")
  expect(ids.map(shape)).toEqual(shown.map(shape))
  expect(ids.map((each) => each.split("-").slice(0, 3).join("-"))).toEqual(Array(3).fill(delivery.delivery_id))
})

it("the listener prints what arrives", async () => {
  const [program, ...words] = textOf("receiver")[0]!.trim().replace("9000", "0").split(" ").slice(1)
  expect(program).toBe("rackwire")
  const child = spawn(process.execPath, [fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url)), ...words])
  onTestFinished(() => void child.kill())
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const url = await eventually("it listens", () => /http:\/\/localhost:\d+/.exec(output)?.[0])
  await hooks.webhook("listened", { payload_url: url })
  await hooks.tag("listened tag")
  await eventually("it has printed the request", () => /x-hook-delivery: [^]*"listened tag"/i.test(output))
})
