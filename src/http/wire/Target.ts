/** The target of a request: path and query. */
import { Effect } from "effect"
import { HttpRefused } from "../HttpRefused.ts"

/** Parses the target. Fails with 400 if the query has null characters, which Postgres cannot store. */
export const targetOf = (target: string): Effect.Effect<URL, HttpRefused> => {
  // With two slashes at the begin, the path would be taken for a host.
  const url = new URL(`http://-/${target.replace(/^\//, "")}`)
  if (!url.search.includes("%00")) return Effect.succeed(url)
  const wrong = [...url.searchParams].filter((pair) => pair.some((text) => text.includes("\0")))
  const body = Object.fromEntries(wrong.map(([name]) => [name, ["Null characters are not allowed."]]))
  return wrong.length === 0 ? Effect.succeed(url) : Effect.fail(new HttpRefused({ reason: "InvalidQuery", body }))
}
