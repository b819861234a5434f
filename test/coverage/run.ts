/** `node test/coverage/run.ts folder [root]`: prints the statement coverage of `src` from the raw coverage in a folder. */
import { readFileSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type Script, ranOf, statementsOf } from "./Statements.ts"

const [folder, root = "."] = process.argv.slice(2)
if (folder === undefined) throw new Error("usage: node test/coverage/run.ts folder [root]")

const sources = new URL("src/", `${pathToFileURL(resolve(root)).href}/`)
const files = new Map<string, { readonly starts: ReadonlyArray<number>; readonly ran: Set<number> }>()
for (const path of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
  if (!path.endsWith(".ts") || path.includes("asset/script")) continue
  const starts = statementsOf(readFileSync(new URL(path, sources), "utf8"))
  files.set(new URL(path, sources).href, { starts, ran: new Set() })
}

for (const name of readdirSync(folder)) {
  let result: ReadonlyArray<Script>
  try {
    result = (JSON.parse(readFileSync(join(folder, name), "utf8")) as { readonly result: ReadonlyArray<Script> }).result
  } catch {
    // A process that was killed while it wrote.
    continue
  }
  for (const script of result) {
    const file = files.get(script.url.split("?")[0]!)
    if (file !== undefined) for (const start of ranOf(file.starts, script)) file.ran.add(start)
  }
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
const all = sum(Array.from(files.values(), ({ starts }) => starts.length))
const ran = sum(Array.from(files.values(), (file) => file.ran.size))
console.log(`Statement coverage of src: ${((100 * ran) / all).toFixed(2)} % (${ran} of ${all})`)
if (process.argv.includes("--files")) {
  for (const [url, file] of files) {
    if (file.ran.size < file.starts.length)
      console.log(`${file.starts.length - file.ran.size} ${url.slice(sources.href.length)}`)
  }
}
