/** What the request line asks for: path and query. */
import { Effect } from "effect"
import { HttpRefused } from "../HttpRefused.ts"

/** The path and the query of a request, whose texts Postgres can keep. */
export const targetOf = (target: string): Effect.Effect<URL, HttpRefused> => {
  // Two slashes at its beginning would make a host of what is a path.
  const url = new URL(`http://-/${target.replace(/^\//, "")}`)
  if (!url.search.includes("%00")) return Effect.succeed(url)
  const wrong = [...url.searchParams].filter((pair) => pair.some((text) => text.includes("\0")))
  const body = Object.fromEntries(wrong.map(([name]) => [name, ["Null characters are not allowed."]]))
  return wrong.length === 0 ? Effect.succeed(url) : Effect.fail(new HttpRefused({ reason: "InvalidQuery", body }))
}
