/** The npm package: the files of the tarball. Package.long installs it. */
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

interface Packed {
  readonly files: ReadonlyArray<{ readonly path: string }>
}

let files: ReadonlyArray<string>

beforeAll(async () => {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--silent"], { cwd: root })
  // npm prints an array, or from version 12 on an object by the names of packages.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, Packed>)
  files = packed!.files.map(({ path }) => path)
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
    const found = async (folder: string, extension: string) => {
      const list = `
        const load = (path) => import("${join(root, folder)}/" + path + "${extension}")
        const [{ registry }, { pages }, { apiRoutes }, { commands }] = [
          await load("inventory/Registry"), await load("console/Pages"), await load("http/Routes"),
          await load("command/service/Rackwire")
        ]
        console.log(JSON.stringify([
          [...registry.keys()], pages.map(({ path }) => path), apiRoutes.map(({ path }) => path),
          (await commands()).map(({ name }) => name)
        ]))`
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", list])
      return JSON.parse(stdout) as ReadonlyArray<ReadonlyArray<string>>
    }
    const compiled = await found("dist/src", ".js")
    expect(compiled.map(({ length }) => length > 9)).toEqual([true, true, true, true])
    expect(compiled).toEqual(await found("src", ".ts"))
  })
})
