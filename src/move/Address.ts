/** The address of a source, as people write it: a database of NetBox, or a running NetBox. */
import { Redacted } from "effect"
import { urlProblem } from "../postgres/PostgresUrl.ts"
import { type ApiAddress, apiUrl, tokenProblem } from "./source/api/Client.ts"
import type { SourceAddress } from "./source/Source.ts"

interface AddressInput extends Pick<ApiAddress, "needsAll" | "progress"> {
  readonly source: string
  readonly token: Redacted.Redacted | undefined
}

/** The address of the source, or its problem. */
export const sourceAddress = ({
  source,
  token,
  ...more
}: AddressInput): { readonly source: SourceAddress } | { readonly problem: string } => {
  if (!/^https?:/i.test(source)) {
    const problem = urlProblem(source)
    if (problem !== undefined) return { problem: `The address of the source ${problem}.` }
    return token === undefined ? { source: Redacted.make(source) } : { problem: "--token is for a NetBox at https://." }
  }
  const address = apiUrl(source)
  if ("problem" in address) return { problem: `The address of the source ${address.problem}.` }
  if (token === undefined) return { problem: "A NetBox at https:// is read with a token: --token." }
  const problem = tokenProblem(token)
  return problem === undefined ? { source: { url: address.url, token, ...more } } : { problem }
}

/** Parts of a NetBox that the source does not give, for people who choose it. */
export const leftBehind = (source: SourceAddress): ReadonlyArray<string> =>
  Redacted.isRedacted(source)
    ? []
    : [
        "A move by the API leaves behind: passwords (users keep those that they have here, new ones have none), which users are superusers, tokens and their keys, the change log, images, and data of plugins.",
        "It reads what the token may see: use the token of a superuser. Objects that change meanwhile are found by the next run."
      ]
