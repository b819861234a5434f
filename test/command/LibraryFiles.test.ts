/** The files of a folder as requests: lines of a request are those of its files. */
import fc from "fast-check"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import {
  type LibraryFile,
  batchesOf,
  folderAt,
  placeOf,
  readLibraryFile
} from "../../src/command/import/LibraryFiles.ts"
import { runs } from "../support/Seed.ts"

const folder = mkdtempSync(join(tmpdir(), "library-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, content)
  return path
}

test("a line of a request is a line of its file", () => {
  const file = fc.record({ lines: fc.integer({ min: 1, max: 9 }), isMarked: fc.boolean() })
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 8 }), (made) => {
      const batch = made.map(({ lines, isMarked }, n): LibraryFile => {
        const own = Array.from({ length: lines }, (_, at) => `file ${n} line ${at + 1}\n`).join("")
        return { name: `${n}`, text: isMarked ? `---\n${own}` : own, isMarked }
      })
      const all = batch.flatMap(({ text }) => text.trimEnd().split("\n"))
      for (const [at, text] of all.entries()) {
        const [, name, line] = /^file (\d+) line (\d+)$/.exec(text) ?? []
        if (name === undefined) continue
        const place = placeOf(batch, at + 1)
        expect([place.file.name, place.line]).toEqual([name, Number(line)])
      }
    }),
    { numRuns: runs(300) }
  )
})

test("a folder has its files by kind; pictures and files of other kinds are counted", async () => {
  write("device-types/B/b.yaml", "a: 1\n")
  write("device-types/A/a.yml", "a: 1\n")
  write("module-types/A/m.yaml", "a: 1\n")
  write("rack-types/A/r.yaml", "a: 1\n")
  write("elevation-images/A/a.front.png", "")
  write(".github/workflow.yaml", "a: 1\n")
  write("README.md", "")
  const { files, pictures, others } = await folderAt(folder)
  expect(files["device-types"]).toEqual([join(folder, "device-types/A/a.yml"), join(folder, "device-types/B/b.yaml")])
  expect(files["module-types"]).toEqual([join(folder, "module-types/A/m.yaml")])
  expect([pictures, others]).toEqual([1, [join(folder, "rack-types/A/r.yaml")]])
  // A folder within the library is known by its path.
  const within = await folderAt(join(folder, "module-types/A"))
  expect(within.files["device-types"]).toEqual([])
})

test("a file begins with the mark of a document and ends with a line break", async () => {
  const read = (content: string | Uint8Array) => readLibraryFile(write("one.yaml", content))
  expect(await read("a: 1")).toMatchObject({ text: "---\na: 1\n", isMarked: true })
  expect(await read("---\na: 1\n")).toMatchObject({ text: "---\na: 1\n", isMarked: false })
  expect(await read("# comment\n\n---\na: 1\n")).toMatchObject({ isMarked: false })
  expect(await read("\uFEFF---\na: 1\n")).toMatchObject({ text: "---\na: 1\n", isMarked: false })
  expect(await read("  \n")).toBe("The file is empty.")
  expect(await read(new Uint8Array([0xff, 0xfe, 0x61]))).toBe("The file is not UTF-8.")
  expect(await read("x".repeat((1 << 20) + 1))).toMatch(/^The file has 1048577 bytes/)
})

test("requests have bounded files and characters, and every file once, in order", () => {
  const sizes = [...Array.from({ length: 120 }, () => 10), 200_000, 200_000, 900_000, 5]
  const files = sizes.map((size, n): LibraryFile => ({ name: `${n}`, text: "x".repeat(size), isMarked: false }))
  const batches = [...batchesOf(files)]
  expect(batches.flat()).toEqual(files)
  expect(batches.map(({ length }) => length)).toEqual([50, 50, 21, 1, 1, 1])
})
