/** The structure of src as tests: imports point one way, have no circles, and stay outside what a stage keeps to itself. */
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { breaking, everything, filesUnder, importsOf, lines, read, sources, stageOf } from "./support/Sources.ts"

/** Circles that are found when the imports of modules are followed, types included, each module once. */
const circlesAmong = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const settled = new Set<string>()
  const follow = (file: string, path: ReadonlyArray<string>): ReadonlyArray<string> => {
    const since = path.indexOf(file)
    if (since >= 0) return [[...path.slice(since), file].join(" -> ")]
    if (settled.has(file)) return []
    const found = importsOf(file).flatMap((target) => follow(target, [...path, file]))
    settled.add(file)
    return found
  }
  return files.flatMap((file) => follow(file, []))
}

/** The folders of src from the ground up: each imports its own level and those below. `root`: the files directly under src. */
const levels: ReadonlyArray<ReadonlyArray<string>> = [
  ["root", "embedded", "event", "eventloop", "limit", "pattern", "postgres", "redis", "telemetry"],
  ["inventory"],
  ["transport"],
  ["auth", "rack", "topology"],
  ["capture", "jinja", "match", "nunjucks", "template"],
  ["changelog"],
  ["source"],
  ["queue"],
  ["webhook"],
  ["log"],
  ["history"],
  ["requests"],
  ["deliver"],
  ["move"],
  ["attach"],
  ["http"],
  ["console"],
  ["pipeline"],
  ["Service"],
  ["command"],
  ["main"]
]

/** Imports that the levels allow and that are wrong nevertheless. A request influences the world through a transaction. */
const apart: ReadonlyArray<readonly [stage: string, mayNot: ReadonlyArray<string>]> = [
  ...["event", "limit", "pattern"].map((stage) => [stage, levels[0]!.filter((other) => other !== stage)] as const),
  ["capture", ["jinja", "match", "nunjucks", "template"]],
  ["match", ["capture", "jinja", "nunjucks", "template"]],
  ["template", ["capture", "match"]],
  ["jinja", ["root", "capture", "match", "nunjucks", "template"]],
  ["nunjucks", ["capture", "match", "template"]],
  ["http", ["capture", "queue"]],
  ["console", ["capture", "queue"]]
]

/**
 * Folders within a stage that other stages may import, beside the files directly in the stage's own folder. All other
 * folders are the stage's own.
 */
const open: ReadonlySet<string> = new Set([
  "auth/audit",
  "auth/directory",
  "auth/factor",
  "auth/factor/passkey",
  "auth/exchange",
  "auth/ldap",
  "auth/oidc",
  "auth/password",
  "auth/proxy",
  "auth/user",
  "capture/slot",
  "capture/wal",
  "command/service",
  ...["capture", "explain", "health", "inspect", "inspect/snippet", "log", "source", "tasks"].map(
    (each) => `history/${each}`
  ),
  // The pages of the console answer with the same parts as the API.
  ...[
    ...["config", "declare", "deliveries", "files", "files/write", "images"],
    ...["objects", "publish", "query", "system", "webhooks", "wire"]
  ].map((each) => `http/${each}`),
  ...["filter", "represent", "table", "values"].map((each) => `inventory/derive/${each}`),
  ...["context", "field", "field/hidden", "image", "name", "page", "read", "restore", "write"].map(
    (each) => `inventory/${each}`
  ),
  ...["dcim", "extras", "ipam", "users"].map((each) => `inventory/types/${each}`),
  ...["filters", "print", "runtime", "value"].map((each) => `jinja/${each}`),
  "move/source",
  "move/state",
  "nunjucks/value",
  "postgres/migrate",
  "queue/reconcile",
  "source/netbox",
  "source/slot",
  "source/state",
  "transport/certificate"
])

const folderOf = (file: string): string => dirname(file).replace(/^src\/?/, "")

/** Whether a file belongs to its stage alone. Service.ts joins the stages: it names the routes of `http`. */
const isOwn = (file: string): boolean => folderOf(file).includes("/") && !open.has(folderOf(file))

const levelOf = (stage: string): number => levels.findIndex((level) => level.includes(stage))

const mayImport = (stage: string, target: string): boolean =>
  levelOf(target) <= levelOf(stage) && !apart.some(([each, mayNot]) => each === stage && mayNot.includes(target))

describe("imports", () => {
  it("point one way, from the wire towards the inventory", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith("src/") && !mayImport(stageOf(file), stageOf(target)))
        .map((target) => `${file} -> ${target}`)
    )
    expect(wrong).toEqual([])
  })

  it("from another stage name its own files or a folder that is open to others", () => {
    const others = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith("src/") && stageOf(target) !== stageOf(file))
        .map((target) => ({ file, target }))
    )
    const wrong = others.filter(({ file, target }) => isOwn(target) && stageOf(file) !== "Service")
    expect(wrong.map(({ file, target }) => `${file} -> ${target}`)).toEqual([])
    const used = new Set(others.map(({ target }) => folderOf(target)))
    expect([...open].filter((folder) => !used.has(folder))).toEqual([])
  })

  it("have no circle, types included", () => {
    expect(circlesAmong(sources)).toEqual([])
  })

  it("reach every file of src, except those that are loaded by their folder", () => {
    const used = new Set(everything.filter((file) => !file.startsWith("test/")).flatMap(importsOf))
    const isEntry = (file: string) =>
      /^src\/(console|http|command)\//.test(file) && /^export default /m.test(read(file))
    const found = (file: string) =>
      file === "src/main.ts" ||
      file === "src/template/plugin/Plugin.ts" ||
      file.startsWith("src/inventory/types/") ||
      file.startsWith("src/move/source/map/") ||
      isEntry(file)
    expect(sources.filter((file) => !used.has(file) && !found(file))).toEqual([])
  })

  it("use every exported name in some other file", () => {
    const words = new Map<string, Set<string>>()
    for (const file of everything) {
      for (const [word] of read(file).matchAll(/\w+/g)) words.set(word, (words.get(word) ?? new Set()).add(file))
    }
    const exported = /^export (?:const|function\*?|class|interface|type|let) (\w+)/gm
    const unused = breaking(
      sources.filter((file) => file !== "src/template/plugin/Plugin.ts"),
      (text) => [...text.matchAll(exported)].map(([, name = ""]) => name).filter((name) => words.get(name)?.size === 1)
    )
    expect(unused).toEqual([])
  })

  it("of the Jinja2 engine stay within it", () => {
    const own = sources.filter((file) => stageOf(file) === "jinja")
    expect(breaking(own, (text) => lines(text, /from "(?!\.)(?!re2js")/))).toEqual([])
  })

  it("of a plugin are #plugin and libraries only", () => {
    const wrong = breaking(filesUnder("plugins"), (text) => lines(text, /from "\.{1,2}\//))
    expect(wrong).toEqual([])
  })

  it("of Effect's Node package name a module: its index loads a Redis client of 650 modules that nobody uses", () => {
    expect(breaking(sources, (text) => lines(text, /^import (?!type).*"@effect\/platform-node"/))).toEqual([])
  })

  it("have a level for every folder of src", () => {
    expect(sources.map(stageOf).filter((stage) => levelOf(stage) < 0)).toEqual([])
  })
})
