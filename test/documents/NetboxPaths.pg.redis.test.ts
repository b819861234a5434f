/**
 * The paths of NetBox 3.5 that docs/netbox.md lists as missing are those that the API does not have.
 * `RACKWIRE_WRITE_DOCS=1` writes the list into the document.
 */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { generatedPart, tableOf } from "./Generated.ts"

/** Read from the URLs and views of NetBox 3.5.9. */
const netboxPaths = JSON.parse(
  readFileSync(new URL("netbox-paths.json", import.meta.url), "utf8")
) as ReadonlyArray<string>

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

/** `/api/dcim/cables/` -> `dcim`; other paths have no app. */
const appOf = (path: string): string => /^\/api\/(\w+)\/[^/]+\//.exec(path)?.[1] ?? ""

/** The paths as a table with a row for each app. */
const pathTable = (paths: ReadonlyArray<string>): string => {
  const rows = [...Map.groupBy(paths, appOf)].map(([app, own]) => {
    const names = own.map((path) => `\`${app === "" ? path : path.slice(`/api/${app}/`.length)}\``)
    return [app === "" ? "" : `\`/api/${app}/\``, names.join(", ")]
  })
  return tableOf(["below", "is missing"], rows)
}

it("are listed", async () => {
  const schema = await api.call("GET", "/api/schema/")
  const { paths } = JSON.parse(schema.text) as { readonly paths: Readonly<Record<string, unknown>> }
  const described = new Set(Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "{id}")))
  const missing: Array<string> = []
  for (const path of netboxPaths) {
    if (described.has(path)) continue
    const isThere = !path.includes("{") && (await api.call("GET", path)).status !== 404
    if (!isThere) missing.push(path)
  }
  expect(generatedPart("netbox.md", "paths", pathTable(missing))).toBe(pathTable(missing))
})
