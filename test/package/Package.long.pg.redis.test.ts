/**
 * The npm package: the files of its tarball, and the service that an empty folder gets by installing it, as a process of
 * that installation. One file for both, because packing makes `dist/` anew: two files would do so at the same time.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApiProcess } from "../support/Api.ts"
import { startReceiver } from "../support/Receiver.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), "rackwire-package-"))
const installed = join(folder, "node_modules/rackwire")
const program = join(folder, "node_modules/.bin/rackwire")

/** The plugin of somebody else, with the dependencies that a package declares. */
const pluginName = "rackwire-plugin-rack"
const pluginManifest = { name: pluginName, version: "1.0.0", type: "module", exports: "./rack.js" }
const plugin = `import { definePlugin } from "rackwire/plugin"
export default definePlugin({
  name: "rack",
  filters: { unit: (call, input) => \`U\${String(input).padStart(2, "0")}\` },
  examples: [{ template: "{{ 7|unit }}", expect: "U07" }]
})
`

interface Packed {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** The paths in the tarball. */
let files: ReadonlyArray<string>
let api: Api

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], { cwd: root })
  // npm prints an array, or from version 12 on an object by the names of packages.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, Packed>)
  files = packed!.files.map(({ path }) => path)
  const ours = join(folder, "plugin")
  mkdirSync(ours)
  writeFileSync(join(ours, "package.json"), JSON.stringify(pluginManifest))
  writeFileSync(join(ours, "rack.js"), plugin)
  // Without the optional packages: Node is the machine's, Postgres and Redis those of the tests.
  await run(
    "npm",
    [
      ...["install", "--prefer-offline", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"],
      ...["--install-links", `./${packed!.filename}`, "./plugin"]
    ],
    { cwd: folder }
  )
  api = await startApiProcess({ RACKWIRE_PLUGINS: pluginName }, { script: program })
  // It compiles, and downloads from npm's registry.
})

afterAll(async () => {
  await api?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe("the tarball", () => {
  it("has compiled modules with the files that they read, the types of the plugin contract, and nothing else", () => {
    const [kept, others] = [
      new Set(["dist", "bin", "docs", "ops"]),
      ["CHANGELOG.md", "LICENSE", "README.md", "package.json"]
    ]
    expect(files.filter((path) => !kept.has(path.split("/")[0]!)).toSorted()).toEqual(others)
    // Types of the contract, and the types that they use.
    expect(files.filter((path) => path.endsWith(".ts")).toSorted()).toEqual(
      [
        "jinja/runtime/Limits",
        "template/Samples",
        ...["Contract", "JsonText", "LiquidFilters", "LiquidNumber", "NunjucksEngine", "NunjucksFilters", "Plugin"].map(
          (name) => `template/plugin/${name}`
        )
      ].map((path) => `dist/src/${path}.d.ts`)
    )
    const sources = ["src", "plugins"].flatMap((part) =>
      readdirSync(join(root, part), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".md"))
        .map(({ parentPath, name }) => join("dist", parentPath.slice(root.length), name.replace(/\.ts$/, ".js")))
    )
    expect(sources.filter((path) => !files.includes(path))).toEqual([])
  })

  it("finds the entries of its folders as a clone does: object types, pages, routes and commands", async () => {
    const found = async (sources: string, extension: string) => {
      const list = `
        const load = (path) => import("${sources}/" + path + "${extension}")
        const [{ registry }, { pages }, { apiRoutes }, { commands }] = [
          await load("inventory/Registry"), await load("console/Pages"), await load("http/Routes"),
          await load("command/service/Rackwire")
        ]
        console.log(JSON.stringify([
          [...registry.keys()], pages.map(({ path }) => path), apiRoutes.map(({ path }) => path),
          (await commands()).map(({ name }) => name)
        ]))`
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", list])
      return JSON.parse(stdout) as ReadonlyArray<ReadonlyArray<string>>
    }
    const compiled = await found(join(installed, "dist/src"), ".js")
    expect(compiled.map(({ length }) => length > 9)).toEqual([true, true, true, true])
    expect(compiled).toEqual(await found(join(root, "src"), ".ts"))
  })
})

describe("the package in an empty folder", () => {
  it("shows types to the author of a plugin", async () => {
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2025"]
    const check = (name: string) => {
      writeFileSync(
        join(folder, "typed.ts"),
        `import { type Filter, definePlugin, fromLiquid } from "rackwire/plugin"
const unit: Filter = (call, input) => \`U\${input}\`
export default definePlugin({ name: ${name}, filters: { unit }, examples: [] })
export const liquid = fromLiquid("shout", function () { this.registerFilter("shout", () => "") }, [])
`
      )
      return run(process.execPath, [compiler, ...options, "--types", "", "typed.ts"], { cwd: folder })
    }
    await expect(check('"rack"')).resolves.toMatchObject({ stdout: "" })
    await expect(check("7")).rejects.toMatchObject({ stdout: expect.stringContaining("typed.ts(3,") })
  })

  it("delivers what the plugin of another package makes", async () => {
    const receiver = await startReceiver()
    const webhook = await api.call("POST", "/api/extras/webhooks/", {
      ...{ name: "racks", content_types: ["dcim.site"], type_create: true, payload_url: `${receiver.url}/` },
      ...{ body_template: "{{ 7|unit }} {{ data.name }}" }
    })
    expect(webhook.status).toBe(201)
    await api.call("POST", "/api/dcim/sites/", { name: "Amsterdam", slug: "amsterdam" })
    const { body } = await receiver.until(() => true)
    expect(body.toString()).toBe("U07 Amsterdam")
    await receiver.close()
  })

  it("reads imports in a worker, describes itself and serves the console's files", async () => {
    const imported = await api.call("POST", "/api/dcim/regions/import/?format=yaml", "- name: North\n  slug: north\n")
    expect(imported.json).toMatchObject({ created: 1, errors: [] })
    const { text } = await api.call("GET", "/api/schema/?format=json")
    expect(JSON.parse(text).openapi).toMatch(/^3\.1/)
    const login = await fetch(`${api.service.url}/login/`)
    const assets = [...(await login.text()).matchAll(/(?:href|src)="(\/[^"]+\.(?:css|js|svg)[^"]*)"/g)]
    expect(assets.length).toBeGreaterThan(1)
    for (const [, path] of assets) expect((await fetch(api.service.url + path)).status).toBe(200)
  })

  it("checks the servers", async () => {
    const env = { PATH: process.env["PATH"], ...environmentOf(api.database) }
    const { stdout } = await run(program, ["check"], { cwd: folder, env })
    expect(stdout).toContain("RACKWIRE_SLOT")
  })

  it("is called by the version of the package", async () => {
    const { stdout } = await run(program, ["--version"], { cwd: folder })
    const { version } = (await import(join(installed, "package.json"), { with: { type: "json" } })).default
    expect(stdout).toContain(version)
  })
})
