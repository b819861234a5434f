/** The user of a page that changes second factors. */
import type { UserRow } from "../../auth/Principal.ts"
import { type Reply, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"

export interface LocalUser {
  readonly user: UserRow
  /** Key of the session. */
  readonly session: string
}

/**
 * Returns the user of a session that began here and was confirmed within the last minutes; otherwise the answer that
 * leads to the page which is missing: the login, the reason, or the confirmation.
 */
export const localUser = ({ principal, incoming }: Pick<Request, "principal" | "incoming">): LocalUser | Reply => {
  const { user, session, isLocal, mustConfirm } = principal
  const next = new URLSearchParams({ next: incoming.method === "GET" ? incoming.url : "/user/factors/" })
  if (user === undefined || session === undefined) return redirect(`/login/?${next}`)
  if (isLocal !== true) return redirect("/user/factors/")
  return mustConfirm === true ? redirect(`/user/confirm/?${next}`) : { user, session }
}
