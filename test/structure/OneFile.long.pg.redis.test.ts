/**
 * The price of an entry: a webhook field costs its declaration with its check, its use and its documentation; an
 * operator, a page, a route, an object type, a metric, an option and a command cost one file each. In a copy of the service that
 * has one more of each, a process of that copy does what they say, and the documents are made from them.
 */
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { Json, List } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { entries } from "./Entries.ts"

const root = new URL("../../", import.meta.url).pathname

const run = promisify(execFile)

let copy: string
let api: Api
let receiver: Receiver

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "rackwire-one-file-"))
  for (const part of ["src", "bin", "plugins", "docs", "test/documents", "package.json", "tsconfig.json"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  for (const [file, edit] of Object.values(entries).flatMap(({ files }) => Object.entries(files))) {
    const path = join(copy, file)
    if (typeof edit === "string" && existsSync(path)) throw new Error(`${file} is there already`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof edit === "string" ? edit : edit(readFileSync(path, "utf8")))
  }
  receiver = await startReceiver()
  api = await startApiProcess({}, { script: join(copy, "bin/rackwire.mjs") })
})
afterAll(async () => {
  await api.stop()
  await receiver.close()
  rmSync(copy, { recursive: true })
})

it.each(Object.entries(entries))("%s touches no more files than its price", (_, { files, price }) => {
  expect(Object.keys(files)).toHaveLength(price)
})

const webhook = (fields: Json) => ({
  ...{ name: "beacons", payload_url: receiver.url, content_types: ["dcim.beacon"], type_create: true },
  ...fields
})

it("an object type has its table and endpoints; an operator decides; a webhook field is checked and sent", async () => {
  const begins = (value: unknown) => ({ conditions: { attr: "name", op: "begins", value } })
  const post = (fields: Json) => api.call<Json>("POST", "/api/extras/webhooks/", webhook(fields))
  expect((await post({ label: "none" })).json).toEqual({ label: ["A label says something."] })
  expect((await post(begins(7))).json).toEqual({
    conditions: [expect.stringContaining("Invalid type for begins operation")]
  })
  const made = await post({ ...begins("North"), label: "lit" })
  expect([made.status, made.json["label"]]).toEqual([201, "lit"])
  for (const name of ["South 1", "North 1"]) {
    expect((await api.call("POST", "/api/dcim/beacons/", { name })).status).toBe(201)
  }
  const sent = await receiver.until(({ body }) => body.includes("North 1"))
  expect(sent.headers["x-label"]).toBe("lit")
  expect(receiver.received).toHaveLength(1)
  expect((await api.call<List>("GET", "/api/extras/webhooks/?label=lit")).json.count).toBe(1)
  const asked = { ...begins("North"), content_types: ["dcim.beacon"] }
  const history = await api.call<Json>("POST", "/api/extras/webhooks/history/", asked)
  expect(history.json).toMatchObject({ changes: 2, fired: 1 })
  const skipped = await api.call("GET", `/api/extras/webhooks/${String(made.json["id"])}/skipped/`)
  expect(skipped.text).toContain(`needs a text that begins with \\"North\\"`)
  const schema = JSON.parse((await api.call("GET", "/api/schema/")).text) as {
    readonly paths: Json
    readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: Json }>> }
  }
  expect(schema.paths["/api/dcim/beacons/"]).toBeDefined()
  expect(schema.components.schemas["ExtrasWebhook"]?.properties["label"]).toBeDefined()
})

it("a route answers, and is described", async () => {
  expect((await api.call("GET", "/api/dcim/brightness/")).json).toEqual({ lumens: 7 })
  const schema = JSON.parse((await api.call("GET", "/api/schema/")).text) as { readonly paths: Json }
  expect(schema.paths["/api/dcim/brightness/"]).toMatchObject({
    get: {
      summary: "How bright it is",
      responses: {
        200: {
          content: {
            "application/json": {
              schema: { properties: { lumens: { type: "integer", description: "Of all beacons." } } }
            }
          }
        }
      }
    }
  })
})

it("a page is shown, and a metric is exposed", async () => {
  expect((await api.call("GET", "/beacon/")).text).toBe("a page")
  expect((await api.call("GET", "/metrics")).text).toContain("\nrackwire_beacons_total 7\n")
})

it("a command is run with an option, whose wrong value is named", async () => {
  const lit = (beacons: string) =>
    run(process.execPath, [join(copy, "bin/rackwire.mjs"), "beacons"], {
      env: { PATH: process.env["PATH"], BEACONS: beacons }
    })
  expect((await lit("5")).stdout).toBe('{"lit":5}\n')
  await expect(lit("10")).rejects.toMatchObject({
    stderr: expect.stringContaining('BEACONS: "10" is not an integer from 1 to 9.')
  })
})

it("an operator, a metric, an option and a command are in the tables of the documents", async () => {
  const script = `
    const { tables } = await import("${join(copy, "test/documents/Tables.ts")}")
    console.log(JSON.stringify(tables))`
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: copy })
  const rows = (JSON.parse(stdout) as ReadonlyArray<ReadonlyArray<string>>).flatMap(([document, , made]) =>
    made!.split("\n").map((row) => `${document}: ${row}`)
  )
  for (const row of [
    "webhooks.md: | `begins` | is a text that begins with the value |",
    "reference.md: | `BEACONS` | `3` | Beacons that are lit. |",
    "reference.md: | `npx rackwire beacons` | Lights the beacons. |",
    "telemetry.md: | `rackwire_beacons_total` | counter | | Beacons seen. |"
  ]) {
    expect(rows).toContain(row)
  }
  const symptom = rows.find((row) => row.startsWith("telemetry.md: | the API is slow or refuses |"))
  expect(symptom).toContain("`rackwire_beacons_total`")
})

it("no other file has to change for the types", async () => {
  writeFileSync(join(copy, "tsconfig.src.json"), '{"extends": "./tsconfig.json", "include": ["src"]}')
  const tsc = join(copy, "node_modules/typescript/bin/tsc")
  const checked = run(process.execPath, [tsc, "-p", "tsconfig.src.json", "--incremental", "false"], { cwd: copy })
  await expect(checked).resolves.toMatchObject({ stdout: "" })
})
