import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { pages } from "../../src/console/Pages.ts"

describe("pages", () => {
  it("are found in every file under page/", () => {
    const files = readdirSync(new URL("../../src/console/page/", import.meta.url))
    expect(pages.length).toBeGreaterThanOrEqual(files.length)
    const paths = pages.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(["/", "/login/", "/logout/", "/user/password/", "/help/templates/"]))
  })
})
