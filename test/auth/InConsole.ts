/** The sites that a user sees in the console, by each way. */
import { expect } from "vitest"
import type { User } from "./Users.ts"

const idsOf = (ids: Iterable<unknown>): ReadonlyArray<number> =>
  [...new Set([...ids].map(Number))].sort((a, b) => a - b)

/** The ids of the sites that a page leads to. */
const sitesIn = (text: string): ReadonlyArray<number> =>
  idsOf([...text.matchAll(/href="\/dcim\/sites\/(\d+)\/"/g)].map(([, id]) => id))

/** Most objects of a type that the search shows. */
const searchedMax = 5

/** The ids of sites that each way shows to the user, who may see those that are allowed. */
export const inConsole = async (
  url: string,
  { token }: User,
  sites: ReadonlyArray<{ readonly id: number }>,
  allowed: ReadonlyArray<number>
): Promise<Readonly<Record<string, ReadonlyArray<number>>>> => {
  /** A page; "" if it is refused. */
  const page = async (path: string, form?: ReadonlyArray<[name: string, value: string]>): Promise<string> => {
    const headers = { authorization: `Token ${token}`, accept: "text/html" }
    const sent = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }
    const reply = await fetch(url + path, { headers, ...sent })
    return reply.status === 200 ? reply.text() : ""
  }
  const some = sites[Math.floor(sites.length / 2)]!.id
  const home = await page("/")
  const counted = /href="\/dcim\/sites\/"\s*>Sites<span class="cnt"\s*>(\d+)</.exec(home)?.[1] ?? "0"
  expect(["counted at home", Number(counted)]).toEqual(["counted at home", allowed.length])
  const detail = await page(`/dcim/sites/${some}/`)
  expect(["its page", detail !== ""]).toEqual(["its page", allowed.includes(some)])
  const found = sitesIn(await page("/search/?q=site"))
  expect(["found by the search", found.filter((id) => !allowed.includes(id))]).toEqual(["found by the search", []])
  expect(["shown by the search", found.length]).toEqual(["shown by the search", Math.min(allowed.length, searchedMax)])
  const picked = await page("/dcim/sites/pick/?q=site")
  const { results } = JSON.parse(picked || `{"results":[]}`) as {
    readonly results: ReadonlyArray<{ readonly id: number }>
  }
  return {
    "list page": sitesIn(await page("/dcim/sites/?limit=100")),
    picker: idsOf(results.map(({ id }) => id)),
    "preview of a bulk delete": sitesIn(
      await page(
        "/dcim/sites/delete/",
        sites.map(({ id }) => ["id", `${id}`])
      )
    )
  }
}
