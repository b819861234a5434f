/** The style of this code base as tests: what a reviewer would otherwise have to see every time. */
import { readFileSync, readdirSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { headless } from "../ops/commit-msg.mjs"
import { options } from "../src/Config.ts"

const root = new URL("..", import.meta.url).pathname

const filesUnder = (folder: string, name = /\.ts$/): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file) && !file.includes("node_modules"))
    .map((file) => join(folder, file))

const read = (file: string): string => readFileSync(join(root, file), "utf8")

const sources = filesUnder("src")
const everything = [...sources, ...filesUnder("test"), ...filesUnder("plugins"), ...filesUnder("bench")]

/** Files that break a rule, with what they break it by. */
const breaking = (files: ReadonlyArray<string>, find: (text: string, file: string) => ReadonlyArray<string>) =>
  files.flatMap((file) => find(read(file), file).map((what) => `${file}: ${what}`))

const lines = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, at) => (pattern.test(line) ? [`line ${at + 1}: ${line.trim()}`] : []))

/** Modules that a module imports, as paths from the root. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(root, join(root, dirname(file), match[1]!))
  )

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

/** Most files directly in a folder. */
const filesMax = 15

describe("files", () => {
  it("are named after their content, never after a kind of code", () => {
    const kinds = /util|helper|common|misc|manager|Live\.ts$|^index\.ts$|^types\.ts$/
    const named = sources.filter((file) => kinds.test(basename(file)))
    expect(named).toEqual([])
  })

  it(`are at most ${filesMax} in a folder, except object types`, () => {
    const files = Map.groupBy(sources, (file) => dirname(file))
    const large = [...files].filter(([, { length }]) => length > filesMax).map(([folder]) => folder)
    expect(large.filter((each) => !each.startsWith("src/inventory/types/"))).toEqual([])
  })
})

/** The folders of src from the ground up: each imports its own level and those below. `root`: the files directly under src. */
const levels: ReadonlyArray<ReadonlyArray<string>> = [
  ["root", "embedded", "event", "eventloop", "limit", "pattern", "postgres", "redis", "telemetry"],
  ["inventory"],
  ["auth"],
  ["capture", "jinja", "match", "nunjucks", "template"],
  ["changelog"],
  ["queue"],
  ["transport"],
  ["webhook"],
  ["log"],
  ["history"],
  ["requests"],
  ["deliver"],
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

const levelOf = (stage: string): number => levels.findIndex((level) => level.includes(stage))

const mayImport = (stage: string, target: string): boolean =>
  levelOf(target) <= levelOf(stage) && !apart.some(([each, mayNot]) => each === stage && mayNot.includes(target))

const stageOf = (file: string): string => {
  if (file === "src/main.ts") return "main"
  if (file === "src/Service.ts") return "Service"
  return /^src\/(\w+)\//.exec(file)?.[1] ?? "root"
}

describe("imports", () => {
  it("point one way, from the wire towards the inventory", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith("src/") && !mayImport(stageOf(file), stageOf(target)))
        .map((target) => `${file} -> ${target}`)
    )
    expect(wrong).toEqual([])
  })

  it("have no circle, types included", () => {
    expect(circlesAmong(sources)).toEqual([])
  })

  it("reach every file of src, except those that are loaded by their folder", () => {
    const used = new Set(everything.filter((file) => !file.startsWith("test/")).flatMap(importsOf))
    const isPage = (file: string) => file.startsWith("src/console/") && /^export default /m.test(read(file))
    const found = (file: string) =>
      file === "src/main.ts" ||
      file === "src/template/plugin/Plugin.ts" ||
      file.startsWith("src/inventory/types/") ||
      isPage(file)
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

describe("code", () => {
  it("hides no type behind `as never`", () => {
    const known = new Set(["test/tidy.test.ts", "src/capture/wal/Walsender.ts"])
    const others = everything.filter((file) => !known.has(file))
    expect(breaking(others, (text) => lines(text, /\bas never\b/))).toEqual([])
  })

  it("writes HTML in console only", () => {
    const others = sources.filter((file) => !["console", "jinja"].includes(stageOf(file)))
    expect(breaking(others, (text) => lines(text, /\bhtml`|<!doctype|<html/i))).toEqual([])
  })

  it("reads the environment in Config.ts only", () => {
    const others = sources.filter((file) => file !== "src/Config.ts")
    expect(breaking(others, (text) => lines(text, /process\.env/))).toEqual([])
  })

  it("takes the time from the clock service, or from performance if there is no clock service", () => {
    expect(breaking(sources, (text) => lines(text, /Date\.now\(|new Date\(\)/))).toEqual([])
  })

  it("uses a Map or emptyRecord() for names from outside, never an object with a prototype", () => {
    const wrong = breaking([...sources, ...filesUnder("plugins")], (text) =>
      lines(text, /(?<!Readonly<)\bRecord<.+> = \{\}/)
    )
    expect(wrong).toEqual([])
  })

  it("ends the name of a number with its unit: …Millis, …Seconds or …Bytes", () => {
    const ends = { milliseconds: /Millis|^millis/, seconds: /Seconds|^seconds/, bytes: /Bytes|^bytes/ } as const
    const described =
      /, (milliseconds|seconds|bytes)\b(?! since)(?:(?!\*\/)[^])*\*\/\s+(?:export )?(?:const (\w+) = \d|readonly (\w+): number)/g
    const wrong = breaking([...sources, ...filesUnder("bench")], (text) =>
      [...text.matchAll(described)].flatMap(([, unit, constant, field]) => {
        const name = constant ?? field ?? ""
        return ends[unit as keyof typeof ends].test(name) ? [] : [`${name} is in ${unit}`]
      })
    )
    expect(wrong).toEqual([])
  })

  it("begins a doc comment with a noun or a sentence, never with a headless what, who, of or those", () => {
    const commented = ["src", "test", "bench", "plugins", "ops", "bin"].flatMap((folder) =>
      filesUnder(folder, /\.(?:ts|js|mjs|mts)$/)
    )
    const wrong = breaking(commented, (text) =>
      [...text.matchAll(/\/\*\*[\s*]*([^*\n]+)/g)].map(([, first]) => first!).filter((first) => headless.test(first))
    )
    expect(wrong).toEqual([])
  })

  it("leaves no TODO", () => {
    expect(
      breaking(everything, (text, file) => (file === "test/tidy.test.ts" ? [] : lines(text, /\b(TODO|FIXME|XXX)\b/)))
    ).toEqual([])
  })

  it("states what every stage is responsible for, guarantees and does not do", () => {
    const mains = {
      embedded: "Servers.ts",
      inventory: "write/Write.ts",
      auth: "Authenticate.ts",
      capture: "Capture.ts",
      match: "Condition.ts",
      queue: "Append.ts",
      deliver: "Deliver.ts",
      http: "Server.ts",
      console: "Pages.ts"
    }
    const silent = Object.entries(mains).filter(([stage, file]) => {
      const first = read(`src/${stage}/${file}`).split("*/")[0]!
      return !/responsible for|Responsible for/.test(first) || !/Guarantees/.test(first) || !/Does not/.test(first)
    })
    expect(silent).toEqual([])
  })
})

describe("documents", () => {
  it("list every option of Config.ts", () => {
    const reference = read("docs/reference.md")
    const missing = Object.values(options).filter(
      ({ env, fallback, description }) =>
        !reference.includes(`| \`${env}\` | ${fallback === "" ? "" : `\`${fallback}\` `}| ${description} |`)
    )
    expect(missing.map(({ env }) => env)).toEqual([])
  })

  it("list every command", () => {
    const reference = read("docs/reference.md")
    const names = ["src/main.ts", ...filesUnder("src/command")].flatMap((file) =>
      [...read(file).matchAll(/Command\.make\(\s*"(\w+)",/g)].map(([, name]) => name)
    )
    expect(names.length).toBeGreaterThan(8)
    expect(names.filter((name) => !reference.includes(`| \`npx rackwire ${name}`))).toEqual([])
  })

  it("name every runtime dependency with its reason in ARCHITECTURE", () => {
    const manifest = JSON.parse(read("package.json")) as { readonly dependencies: Record<string, string> }
    const architecture = read("ARCHITECTURE.md")
    expect(Object.keys(manifest.dependencies).filter((name) => !architecture.includes(`\`${name}\``))).toEqual([])
  })

  it("have exact versions of dependencies in package.json", () => {
    const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>
    const all = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
      Object.entries(manifest[kind] ?? {})
    )
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })
})
