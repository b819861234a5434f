/** The style of this code base as tests: what a reviewer would otherwise have to see every time. */
import { basename, dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { headless } from "../ops/commit-msg.mjs"
import { breaking, everything, filesUnder, lines, read, sources, stageOf } from "./support/Sources.ts"

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

describe("code", () => {
  it("hides no type behind `as never`", () => {
    const known = new Set(["test/tidy.test.ts", "src/capture/wal/Walsender.ts"])
    const others = everything.filter((file) => !known.has(file))
    expect(breaking(others, (text) => lines(text, /\bas never\b/))).toEqual([])
  })

  it("compares no condition with another one: isNothing, isEverything and mayView tell them apart", () => {
    const others = sources.filter((file) => file !== "src/inventory/derive/filter/Where.ts")
    expect(breaking(others, (text) => lines(text, /\.sql [!=]== ("|nothing|everything)/))).toEqual([])
  })

  it("writes HTML in console only", () => {
    const others = sources.filter((file) => !["console", "jinja"].includes(stageOf(file)))
    expect(breaking(others, (text) => lines(text, /\bhtml`|<!doctype|<html/i))).toEqual([])
  })

  it("sends no SQL from console: its pages show what read models give", () => {
    const own = sources.filter((file) => stageOf(file) === "console")
    expect(breaking(own, (text) => lines(text, /\bsql[`<]|\bsql: ?[`"]|\.unsafe\b|SqlClient/))).toEqual([])
  })

  it("reads the environment in Environment.ts only", () => {
    const others = sources.filter((file) => file !== "src/Environment.ts")
    expect(breaking(others, (text) => lines(text, /process\.env/))).toEqual([])
  })

  it("takes the time from the clock service, or from performance if there is no clock service", () => {
    expect(breaking(sources, (text) => lines(text, /Date\.now\(|new Date\(\)/))).toEqual([])
  })

  it("passes ids to Postgres as texts: the driver wants all numbers of an array to fit the same type", () => {
    expect(breaking(sources, (text) => lines(text, /(?:\$\d+|\})::(?:bigint|int8)\[\]/))).toEqual([])
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

  it("begins a comment with a noun or a sentence, never with a headless what, who, of or those", () => {
    const commented = ["src", "test", "bench", "plugins", "ops", "bin"].flatMap((folder) =>
      filesUnder(folder, /\.(?:ts|js|mjs|mts)$/)
    )
    // Only the first line of a comment: the next one may begin in the middle of a sentence.
    const comment = /\/\*\*[\s*]*([^*\n]+)|(?<!^ *\/\/.*\n)^ *\/\/ (.+)|(?<=[;,{})\]] )\/\/ (.+)/gm
    const wrong = breaking(commented, (text) =>
      [...text.matchAll(comment)]
        .map(([, block, line, behind]) => block ?? line ?? behind!)
        .filter((first) => headless.test(first))
    )
    expect(wrong).toEqual([])
  })

  it("names a type by a noun, never by the participle of an everyday verb", () => {
    // The wire and the ported engines still have some.
    const others = sources.filter((file) => !["http", "jinja", "nunjucks"].includes(stageOf(file)))
    const participle =
      /^(?:export )?(?:interface|type) (?:Asked|Told|Made|Found|Shown|Sent|Owed|Held|Seen|Known|Kept|Wanted|Meant|Given|Taken|Listed|Refused|Chosen|Changed|Claimed|Captured|Counted|Judged|Typed|Written)\b/
    expect(breaking(others, (text) => lines(text, participle))).toEqual([])
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

describe("tests", () => {
  it("wait as long as `eventually` does, except where a time is their subject", () => {
    const timed = new Set(["test/capture/Silence.pg.test.ts", "test/deliver/ChangedWebhook.gate.pg.redis.test.ts"])
    const others = filesUnder("test").filter((file) => !timed.has(file) && !/^test\/(tidy|fault\/)|\.long\./.test(file))
    const wait =
      /\.poll\(.*\btimeout: \d|\beventually\(.*\bmillis: [\d_]+ \}|^\s*timeout: [\d_]+$|\bvi\.wait(For|Until)\b/
    expect(breaking(others, (text) => lines(text, wait))).toEqual([])
  })

  it("wait for a page by `at`, not by a pattern that its path as a query matches too", () => {
    const loose = /waitForURL\((["`])\*\*[^*?=#]*\1\)/
    expect(breaking(filesUnder("test"), (text) => lines(text, loose))).toEqual([])
  })
})

describe("documents", () => {
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
