/** docs/mcp.md names the tools that there are. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { tools } from "../../src/command/mcp/Tools.ts"

it("the page on the MCP server names every tool beside those that do the same, and no other", () => {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8")
  const [reading = "", writing = ""] = page.split("With `--allow-write`")
  const named = (part: string) =>
    part
      .split("\n")
      .flatMap((line) =>
        [...(/^\| (`[a-z].*?) \|/.exec(line)?.[1] ?? "").matchAll(/`([a-z_]+)`/g)].map(([, name]) => name)
      )
  const names = (writes: boolean) => tools.filter((tool) => tool.writes === writes).map(({ name }) => name)
  expect([named(reading), named(writing)]).toEqual([names(false), names(true)])
})
