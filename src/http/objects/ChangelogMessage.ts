/** The reason for a change: `changelog_message` in the body of a write, kept in the change log and in the event. */
import { Effect } from "effect"
import { isDictionary, isStorable } from "../../inventory/Field.ts"
import { messageCharsMax } from "../../postgres/Messages.ts"
import type { Author, PresumedAuthor } from "../../inventory/write/Transaction.ts"
import { HttpRefused } from "../HttpRefused.ts"
import type { Request } from "../wire/Request.ts"

const name = "changelog_message"

/** The author of a write, with the reason that its bodies give. One request is one transaction, so it has one reason. */
export const authorOf = (
  { author }: Pick<Request, "author">,
  bodies: ReadonlyArray<unknown>
): Effect.Effect<Author, HttpRefused> => {
  const given = bodies.map((body) => (isDictionary(body) && Object.hasOwn(body, name) ? body[name] : undefined))
  const wrong = given.map(problemOf)
  const at = wrong.findIndex((problem) => problem !== undefined)
  if (at >= 0) return refused(wrong[at]!)
  const messages = new Set(given.filter((message) => message !== undefined && message !== null && message !== ""))
  if (messages.size > 1) return refused("The items of one request have one message together.")
  const [message] = messages as Set<string>
  return Effect.succeed(message === undefined ? author : { ...author, message })
}

/** The same for an author who may be a presumed one. */
export const presumedAuthorOf = ({ presumed }: PresumedAuthor, bodies: ReadonlyArray<unknown>) =>
  Effect.map(authorOf({ author: presumed }, bodies), (author): PresumedAuthor => ({ presumed: author }))

const problemOf = (message: unknown): string | undefined => {
  if (message === undefined || message === null) return undefined
  if (typeof message !== "string" || !isStorable(message)) return "Not a valid string."
  return message.length > messageCharsMax
    ? `Ensure this field has no more than ${messageCharsMax} characters.`
    : undefined
}

const refused = (problem: string) =>
  Effect.fail(new HttpRefused({ reason: "InvalidBody", body: { [name]: [problem] } }))
