/** The provider, subject and session at the provider that a session here began with, so that their end ends it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Vault, digest } from "../../inventory/Vault.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import type { Profile } from "./Profile.ts"
import type { EndedAtProvider } from "./ProviderClient.ts"
import type { ProviderOptions } from "./ProviderOptions.ts"

export const providerSessionTable: Table = {
  name: "rackwire_oidc_session",
  daily: false,
  columns: [
    { name: "digest", type: "text", nullable: false },
    { name: "provider", type: "text", nullable: false },
    { name: "issuer", type: "text", nullable: false },
    { name: "subject", type: "text", nullable: false },
    { name: "session", type: "text", nullable: true },
    // Sealed; null for one that is too long.
    { name: "id_token", type: "text", nullable: true }
  ],
  constraints: [
    { name: "rackwire_oidc_session_digest_key", sql: "unique (digest)" },
    {
      name: "rackwire_oidc_session_digest_fkey",
      sql: "foreign key (digest) references rackwire_session (digest) on delete cascade"
    }
  ],
  indexes: [{ name: "rackwire_oidc_session_subject_idx", sql: "(issuer, subject)", unique: false }],
  triggers: [],
  published: false
}

/** Longest ID token that is kept, characters: an address with a longer one is refused by many servers. */
const idTokenMax = 4000

/** Notes how the session of this key began. */
export const noteProvider = Effect.fnUntraced(function* (
  key: string,
  { name }: ProviderOptions,
  { issuer, subject, session, idToken }: Profile & { readonly idToken: string }
) {
  const sql = yield* SqlClient.SqlClient
  const { seal } = yield* Vault
  const kept = idToken.length <= idTokenMax ? seal(idToken) : null
  yield* sql`
    insert into rackwire_oidc_session (digest, provider, issuer, subject, session, id_token)
    values (${digest(key)}, ${name}, ${issuer}, ${subject}, ${session ?? null}, ${kept})`
})

/** The provider by which the session of this key began, and its ID token; undefined where it began with a password. */
export const signInOfSession = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const { open } = yield* Vault
  const [row] = yield* sql<{ readonly provider: string; readonly token: string | null }>`
    select provider, id_token as token from rackwire_oidc_session where digest = ${digest(key)}`
  return row && { provider: row.provider, idToken: row.token === null ? undefined : open(row.token) }
})

/** Ends the sessions here that a provider has ended. Returns how many there were, and the name of their user. */
export const endSessionsOf = Effect.fnUntraced(function* ({ issuer, subject, session }: EndedAtProvider) {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql<{ readonly name: string }>`
    delete from rackwire_session s using rackwire_oidc_session p
     where p.digest = s.digest and p.issuer = ${issuer}
       and (${subject ?? null}::text is null or p.subject = ${subject ?? null})
       and (${session ?? null}::text is null or p.session = ${session ?? null})
    returning (select u.username from users_user u where u.id = s.user_id) as name`
  return { sessions: ended.length, name: ended[0]?.name }
})
