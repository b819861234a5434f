/** Files of images that a move fetches: each once, though it reads each twice. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { fetchedFiles } from "../../src/move/source/Files.ts"
import { makeScratch } from "../support/Scratch.ts"

// A folder of its own for temporary files: moves of other workers have files in the usual one.
const temporary = makeScratch("rackwire-fetched-")
const { TMPDIR: before } = process.env
beforeAll(() => {
  process.env["TMPDIR"] = temporary
})
afterAll(() => {
  if (before === undefined) delete process.env["TMPDIR"]
  else process.env["TMPDIR"] = before
  rmSync(temporary, { recursive: true })
})

const folders = () => readdirSync(temporary)

/** A source of files, and the names that were fetched. */
const source = (size: number) => {
  const names: Array<string> = []
  const fetched = (name: string) =>
    Effect.sync(() => {
      names.push(name)
      return name === "missing" ? { refused: "Not found." } : new Uint8Array(size).fill(name.length)
    })
  return { names, fetched }
}

const readAll = (size: number, bytesMax: number, read: ReadonlyArray<string>) => {
  const { names, fetched } = source(size)
  const reading = Effect.gen(function* () {
    const files = yield* fetchedFiles(fetched, bytesMax)
    const found = yield* Effect.forEach(read, files.read)
    for (const [at, file] of found.entries())
      if (file instanceof Uint8Array) expect(Buffer.from(file)).toEqual(Buffer.alloc(size, read[at]!.length))
    return names
  })
  return Effect.runPromise(Effect.scoped(reading))
}

test("a file is fetched for its first reading alone", async () => {
  expect(await readAll(10, 100, ["a", "bb", "a", "bb"])).toEqual(["a", "bb"])
})

test("beyond the limit the oldest file is fetched again", async () => {
  expect(await readAll(10, 25, ["a", "bb", "ccc", "bb", "ccc", "a"])).toEqual(["a", "bb", "ccc", "a"])
  expect(await readAll(30, 25, ["a", "a"])).toEqual(["a", "a"])
})

test("a file that somebody removed from the disk is fetched again", async () => {
  const { names, fetched } = source(10)
  const reading = Effect.gen(function* () {
    const files = yield* fetchedFiles(fetched)
    yield* files.read("a")
    for (const name of folders()) rmSync(join(temporary, name), { recursive: true })
    yield* files.read("a")
    // Nothing can be stored any more.
    yield* files.read("a")
    return yield* files.read("a")
  })
  expect(await Effect.runPromise(Effect.scoped(reading))).toEqual(new Uint8Array(10).fill(1))
  expect(names).toEqual(["a", "a", "a", "a"])
})

test("a file that was not found is fetched again, and nothing is left on the disk", async () => {
  expect(await readAll(10, 100, ["missing", "missing", "a"])).toEqual(["missing", "missing", "a"])
  expect(folders()).toEqual([])
})
