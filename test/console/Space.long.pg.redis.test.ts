/** The page of a prefix with 100,000 children is bounded. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { fillPrefixes } from "../../bench/Inventory.ts"
import { type Api, sharedApi } from "../support/Api.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

const children = 100_000

it("is bounded for 100,000 children", async () => {
  await fillPrefixes(api.database.superuser, children)
  const { json } = await api.call<{ results: ReadonlyArray<{ id: number }> }>(
    "GET",
    "/api/ipam/prefixes/?prefix=10.0.0.0/8"
  )
  const headers = { authorization: `Token ${await api.newToken()}`, accept: "text/html" }
  const read = async (query: string) => {
    const reply = await fetch(`${api.service.url}/ipam/prefixes/${json.results[0]!.id}/${query}`, { headers })
    const text = await reply.text()
    return {
      status: reply.status,
      kilobytes: Math.round(text.length / 1000),
      rows: text.split('class="mono d').length - 1,
      pieces: text.split('tabindex="-1" title=').length - 1
    }
  }
  for (const query of ["", "?space=10.3.0.0/16", "?behind=10.100.0.0/27 1"]) {
    const page = await read(query)
    expect([query, page.status, page.rows, page.pieces <= 256, page.kilobytes < 150]).toEqual([
      query,
      200,
      51,
      true,
      true
    ])
  }
})
