/** The files of the repository as texts, for tests of its style. */
import { readFileSync, readdirSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const root = new URL("../..", import.meta.url).pathname

export const filesUnder = (folder: string, name = /\.ts$/): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file) && !file.includes("node_modules"))
    .map((file) => join(folder, file))

export const read = (file: string): string => readFileSync(join(root, file), "utf8")

export const sources = filesUnder("src")
export const everything = [...sources, ...filesUnder("test"), ...filesUnder("plugins"), ...filesUnder("bench")]

/** Files that break a rule, with what they break it by. */
export const breaking = (files: ReadonlyArray<string>, find: (text: string, file: string) => ReadonlyArray<string>) =>
  files.flatMap((file) => find(read(file), file).map((what) => `${file}: ${what}`))

export const lines = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, at) => (pattern.test(line) ? [`line ${at + 1}: ${line.trim()}`] : []))

/** Modules that a module imports, as paths from the root. */
export const importsOf = (file: string): ReadonlyArray<string> =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(root, join(root, dirname(file), match[1]!))
  )

/** The folder of src that a file belongs to; `root` for most of those directly under src. */
export const stageOf = (file: string): string => {
  if (file === "src/main.ts") return "main"
  if (file === "src/Service.ts") return "Service"
  return /^src\/(\w+)\//.exec(file)?.[1] ?? "root"
}
