/** The user of a name and a password of the LDAP directory. */
import { Effect } from "effect"
import { auditSignInRefused } from "../Audit.ts"
import { Denied } from "../Denied.ts"
import { type Sender, userOfAccount } from "../directory/Account.ts"
import { LdapDirectory } from "./LdapDirectory.ts"
import { ldapIssuer } from "./LdapEntry.ts"

/**
 * The id of the user, with the groups that the directory has now, and its account; a new user at the first sign-in. Fails with `Denied`
 * for a wrong name or password, and where no directory is named; with `SignInRefused` if it is away, or if no user can
 * be made of the account.
 */
export const signInByLdap = Effect.fnUntraced(function* (name: string, password: string, by: Sender) {
  const { named } = yield* LdapDirectory
  if (named === undefined) return yield* new Denied({ reason: "WrongPassword" })
  return yield* Effect.gen(function* () {
    const account = yield* named.accountOf(name, password)
    if (account === undefined) return yield* new Denied({ reason: "WrongPassword" })
    const { id, how } = yield* userOfAccount(account, named.directory, by)
    return { id: Number(id), how, account }
  }).pipe(
    Effect.tapErrorTag("SignInRefused", (refusal) =>
      auditSignInRefused({ way: named.directory.source, issuer: ldapIssuer, name }, refusal, by.address)
    )
  )
})

/** A user who signed in by the directory. */
export type LdapSignIn = Effect.Success<ReturnType<typeof signInByLdap>>
