/** Links between the documents, and from them to files, lead somewhere; examples are carried out. */
import { existsSync, globSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, it } from "vitest"
import { documentAt, proseOf, stepsOf } from "./Steps.ts"

const root = new URL("../../", import.meta.url).pathname

const documents = globSync(["*.md", "docs/**/*.md", "src/**/*.md"], { cwd: root })

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-")

const anchorsOf = (path: string): ReadonlySet<string> =>
  new Set([...proseOf(documentAt(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)))

const fault = (from: string, link: string): string | undefined => {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? from : join(dirname(from), file)
  if (!existsSync(join(root, target))) return "no such file"
  if (anchor === undefined) return undefined
  return statSync(join(root, target)).isFile() && anchorsOf(target).has(anchor) ? undefined : "no such heading"
}

it("every link of a document leads to a file, and to a heading in it", () => {
  const links = documents.flatMap((from) =>
    [...proseOf(documentAt(from)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(
      ([, link = ""]) => [from, link] as const
    )
  )
  expect(links.length).toBeGreaterThan(50)
  const broken = links.flatMap(([from, link]) => {
    const why = fault(from, link)
    return why === undefined ? [] : [`${from}: ${link}: ${why}`]
  })
  expect(broken).toEqual([])
})

it("every document of docs/ can be reached from the README", () => {
  const reached = new Set(["README.md"])
  for (const from of reached) {
    for (const [, link = ""] of proseOf(documentAt(from)).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)) {
      reached.add(join(dirname(from), link))
    }
  }
  expect(documents.filter((path) => path.startsWith("docs/") && !reached.has(path))).toEqual([])
})

it("a test carries out every document that has examples", () => {
  const tests = globSync("test/documents/*.test.ts", { cwd: root }).map(documentAt).join("")
  const shown = documents.filter(
    (path) => /^(README|docs)/.test(path) && stepsOf(documentAt(path)).some(({ kind }) => kind === "run")
  )
  expect(shown.length).toBeGreaterThan(4)
  expect(shown.filter((path) => !tests.includes(basename(path)))).toEqual([])
})
