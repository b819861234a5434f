/** The user of a name and a password of the LDAP directory. */
import { Effect } from "effect"
import { auditSignIn, auditSignInRefused } from "../Audit.ts"
import { Denied } from "../Denied.ts"
import { type Sender, userOfAccount } from "../directory/Account.ts"
import { LdapDirectory } from "./LdapDirectory.ts"

/**
 * The id of the user, with the groups that the directory has now; a new user at the first sign-in. Fails with `Denied`
 * for a wrong name or password, and where no directory is named; with `SignInRefused` if it is away, or if no user can
 * be made of the account.
 */
export const signInByLdap = Effect.fnUntraced(function* (name: string, password: string, by: Sender) {
  const { named } = yield* LdapDirectory
  if (named === undefined) return yield* new Denied({ reason: "WrongPassword" })
  return yield* Effect.gen(function* () {
    const account = yield* named.accountOf(name, password)
    if (account === undefined) return yield* new Denied({ reason: "WrongPassword" })
    const { id, username, how } = yield* userOfAccount(account, named.directory, by)
    if (how !== "signIn") yield* auditSignIn(how, username, account, by.address)
    return id
  }).pipe(
    Effect.tapErrorTag("SignInRefused", ({ reason, detail = "", cause = "" }) => {
      const why = [reason, detail, cause].filter((part) => part !== "").join(": ")
      return auditSignInRefused(named.directory.source, why, by.address)
    })
  )
})
