/** The plugins of docs/plugins.md, all in one service, which runs their examples at its start. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import { startService } from "../support/Service.ts"
import { blocksOf, readDocument } from "./Document.ts"
import { thorough } from "../support/Seed.ts"

/** The service runs in this process too, so no program may be waited for in between. */
const run = promisify(execFile)

const root = fileURLToPath(new URL("../../", import.meta.url))
const blocks = blocksOf(readDocument("plugins.md"))
const textOf = (role: string): string => blocks.find((block) => block.role === role)!.text
const files = blocks.map(({ role }) => role).filter((role) => /\.(ts|mjs)$/.test(role))
const [serve = "", render = ""] = blocks.filter(({ language }) => language === "sh").map(({ text }) => text)

const folder = mkdtempSync(join(tmpdir(), "plugins-"))
const installed = join(root, "node_modules/rackwire-plugin-colours")

let api: Api

beforeAll(async () => {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const file of files) writeFileSync(join(folder, file), textOf(file))
  mkdirSync(installed, { recursive: true })
  for (const file of ["package.json", "colours.js"]) writeFileSync(join(installed, file), textOf(file))
  const named = /^RACKWIRE_PLUGINS=(\S+)/.exec(serve)![1]!.replace("/etc/rackwire", folder).split(",")
  const others = files.map((file) => join(folder, file)).filter((path) => !named.includes(path))
  api = await startApi({ RACKWIRE_PLUGINS: [...named, ...others].join(",") })
})

afterAll(async () => {
  await api?.stop()
  for (const each of [folder, installed]) rmSync(each, { recursive: true, force: true })
})

describe("a plugin of the document", () => {
  it.each([...files, "colours.js"])("%s is loaded, so its examples give what they tell", async (file) => {
    interface Shown {
      readonly name: string
      readonly examples: ReadonlyArray<unknown>
    }
    const { json } = await api.call<{ results: ReadonlyArray<Shown> }>("GET", "/api/plugins/")
    const found = json.results.find(({ name }) => name === file.split(".")[0])
    expect(found?.examples.length).toBeGreaterThan(0)
  })

  it("has the types of the contract", async () => {
    const compilerOptions = {
      ...{ strict: true, noEmit: true, module: "nodenext", target: "es2025", types: [], skipLibCheck: true },
      ...{ allowImportingTsExtensions: true },
      paths: { "rackwire/plugin": [join(root, "src/template/plugin/Plugin.ts")] }
    }
    const typed = files.filter((file) => file.endsWith(".ts"))
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: typed }))
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const compiled = run(process.execPath, [compiler], { cwd: folder })
    await expect(compiled).resolves.toMatchObject({ stdout: "" })
  })

  it("is refused with the message that it shows", async () => {
    const path = join(folder, "refused.ts")
    writeFileSync(path, textOf("refused"))
    const started = startService({ ...environmentOf(api.database), RACKWIRE_PLUGINS: path })
    await expect(started).rejects.toThrow(textOf("message").trim())
  })

  thorough("is called by the command that it shows", async () => {
    const env = { PATH: process.env["PATH"], TOKEN: await api.newToken() }
    const commands = render.replaceAll("localhost:8000", api.service.url)
    const { stdout } = await run("bash", ["-c", commands], { env })
    expect(JSON.parse(stdout)).toMatchObject({ output: "U07" })
  })
})
