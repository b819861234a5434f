import { readFileSync, readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { pages } from "../../src/console/Pages.ts"

describe("pages", () => {
  it("are found in every file with a default export", () => {
    const folder = new URL("../../src/console/", import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && /^export default /m.test(readFileSync(new URL(file, folder), "utf8"))
    )
    expect(files.length).toBeGreaterThan(50)
    expect(pages.length).toBeGreaterThanOrEqual(files.length)
    const paths = pages.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(["/", "/login/", "/logout/", "/user/password/", "/help/templates/"]))
  })
})
