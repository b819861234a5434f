/** The findings of `check` about the LDAP directory: whether each server lets the service search users and groups. */
import { Effect } from "effect"
import { LdapDirectory } from "../../auth/ldap/LdapDirectory.ts"
import type { Finding } from "./Findings.ts"

export const directoryFindings = Effect.gen(function* () {
  const { named } = yield* LdapDirectory
  if (named === undefined) return []
  return yield* Effect.forEach(
    named.urls,
    (url) =>
      named.probe(url).pipe(
        Effect.match({
          onSuccess: (): Finding => ({ what: `directory ${url}`, is: "answers, and shows users and groups" }),
          onFailure: (fault): Finding => ({
            what: `directory ${url}`,
            is: fault,
            change:
              "Check that this machine reaches it, LDAP_CA, LDAP_BIND_DN, LDAP_BIND_PASSWORD, LDAP_USER_BASE and LDAP_GROUP_BASE: nobody can log in by it meanwhile."
          })
        })
      ),
    { concurrency: 8 }
  )
})
