/**
 * Signing in by an LDAP directory.
 *
 * Responsible for: whether a password is right for the directory, and the account and the groups of its user.
 * Guarantees: an empty password never reaches the directory; names are escaped in filters and names of entries; an
 * account is the identifier of its entry, so a renamed user stays the same; a directory that is slow, away or too
 * talkative delays nobody but the person who logs in. Does not: begin sessions, or count attempts (Password.ts).
 */
import { Context, Duration, Effect, Layer } from "effect"
import { Settings, reveal } from "../../Config.ts"
import { OptionRefused } from "../../Setting.ts"
import type { Account, Directory } from "../directory/Account.ts"
import { plainName } from "../directory/PlainName.ts"
import { ProviderFault, SignInRefused } from "../directory/SignInRefused.ts"
import { groupRules, isAskable, ldapProblem } from "./LdapRules.ts"

/** The directory that the options name. */
export interface NamedDirectory {
  readonly directory: Directory
  readonly urls: ReadonlyArray<string>
  /** Whether users are searched: with a template and without a bind name each reads the own entry alone. */
  readonly searches: boolean
  /** The account with this name and password; undefined if one of them is wrong. */
  readonly accountOf: (name: string, password: string) => Effect.Effect<Account | undefined, SignInRefused>
  /** The account with this identifier; undefined where the directory lets it log in no more. */
  readonly accountBy: (subject: string) => Effect.Effect<Account | undefined, SignInRefused>
  /** Connects to one server as a sign-in does. Fails with the fault in words. */
  readonly probe: (url: string) => Effect.Effect<void, string>
}

export class LdapDirectory extends Context.Service<LdapDirectory, { readonly named: NamedDirectory | undefined }>()(
  "rackwire/auth/ldap/LdapDirectory"
) {
  /** Loads ldapts only where the options name a server. Fails with OptionRefused. */
  static readonly layer = Layer.effect(
    LdapDirectory,
    Effect.gen(function* () {
      const options = yield* Settings
      const { ldapUrl: urls, ldapStartTls: startTls, ldapCa, ldapTimeout, ldapAdopt: adopts } = options
      if (urls.length === 0) return LdapDirectory.of({ named: undefined })
      const [{ LdapServers }, { LdapUsers }] = yield* Effect.promise(() =>
        Promise.all([import("./LdapServers.ts"), import("./LdapUsers.ts")])
      )
      const ca = ldapCa === undefined ? undefined : reveal(ldapCa)
      const servers = new LdapServers(urls, { startTls, ca, timeoutMillis: Duration.toMillis(ldapTimeout) })
      const users = new LdapUsers(options, servers)
      const problem = ldapProblem(options) ?? users.filterProblem()
      if (problem !== undefined) return yield* new OptionRefused({ message: problem })
      const directory: Directory = { label, source: "ldap", rules: groupRules(options), adopts }
      return LdapDirectory.of({
        named: {
          directory,
          urls,
          searches: options.ldapUserBase !== undefined || options.ldapBindDn !== undefined,
          accountOf: (name, password) =>
            isAskable(plainName(name), password)
              ? asked(() => users.accountOf(plainName(name), password))
              : Effect.succeed(undefined),
          accountBy: (subject) => asked(() => users.accountBy(subject)),
          probe: (url) => Effect.tryPromise({ try: () => users.probe(url), catch: (error) => (error as Error).message })
        }
      })
    })
  )
}

/** How people read of it. */
const label = "the directory"

const asked = (ask: () => Promise<Account | undefined | string>): Effect.Effect<Account | undefined, SignInRefused> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: ask,
      catch: (error) =>
        new SignInRefused({
          reason: error instanceof ProviderFault && error.isAway ? "ProviderAway" : "InvalidAnswer",
          provider: label,
          cause: (error as Error).message
        })
    }),
    (found) =>
      typeof found === "string"
        ? new SignInRefused({ reason: "InvalidClaims", provider: label, detail: found })
        : Effect.succeed(found)
  )
