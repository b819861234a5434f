/**
 * The columns that a reader has chosen, by object type, in one cookie of the reader's browser. Pure.
 *
 * `dcim.site:status.region~dcim.device:role`: the type that was chosen last comes first, and the oldest go where the
 * cookie would become too long.
 */
import type { Cookie } from "../../http/wire/Cookies.ts"
import type { Origin } from "../../http/wire/Origin.ts"

const cookieName = "columns"

/** Longest value, characters: browsers keep cookies of 4096 bytes, name and options included. */
const lengthMax = 3000

/** Days that a browser keeps the choice. */
const keptDays = 400

type Cookies = Readonly<Record<string, string>>

const entriesIn = (cookies: Cookies): ReadonlyArray<readonly [id: string, columns: string]> =>
  (cookies[cookieName] ?? "").split("~").flatMap((entry) => {
    const [id = "", columns = ""] = entry.split(":")
    return id === "" || columns === "" ? [] : [[id, columns] as const]
  })

/** The columns of the type that the reader has chosen; none if the reader has not. */
export const chosenColumns = (cookies: Cookies, id: string): ReadonlyArray<string> =>
  entriesIn(cookies)
    .find(([each]) => each === id)?.[1]
    .split(".") ?? []

/** The cookie that holds this choice too; without columns it forgets the choice. */
export const choiceOf = (cookies: Cookies, id: string, columns: ReadonlyArray<string>, served: Origin): Cookie => {
  const others = entriesIn(cookies).filter(([each]) => each !== id)
  const all = columns.length === 0 ? others : [[id, columns.join(".")] as const, ...others]
  let value = ""
  for (const [each, names] of all) {
    const next = `${value}${value === "" ? "" : "~"}${each}:${names}`
    if (next.length > lengthMax) break
    value = next
  }
  const options = { path: "/", sameSite: "lax", secure: served.isSecure, httpOnly: true } as const
  return {
    name: cookieName,
    value: value === "" ? undefined : value,
    options: { ...options, maxAge: `${keptDays} days` }
  }
}
