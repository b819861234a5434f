/**
 * Tokens as this process last found them. A later request starts from one and checks it; it never trusts one. The check
 * is that the rows behind a token have the same versions.
 *
 * The version of a row is the id of the transaction that wrote it (`xmin`). Postgres never changes a row in place, so
 * a change of one gives it another version, plain SQL included. Ids of transactions come again after four billion of
 * them: the cached state of a token is at most a minute old, because its use is noted in its row. They also come again
 * in a database that was restored or taken over by a standby, and there another server answers.
 */
import { Context, Layer } from "effect"
import { keepNewest } from "../eventloop/KeepNewest.ts"
import type { Where } from "../inventory/derive/filter/Where.ts"
import type { Principal } from "./Principal.ts"

/** SQL: whether the token `t` has expired. */
export const isExpired = "coalesce(t.expires <= now(), false)"

/** SQL: whether the last use of the token `t` that was noted is so long ago that the next one is noted as well. */
export const isStale = "coalesce(t.last_used < now() - interval '1 minute', true)"

/** SQL: whether the permission `p` is one of the user `u`. */
export const grants = "p.enabled and (p.users @> array[u.id] or p.groups && u.groups)"

const permissionVersions = `
  coalesce((select string_agg(p.xmin::text, ' ' order by p.id) from users_objectpermission p where ${grants}), '')`

/** The versions of the rows behind a token. */
export interface TokenVersions {
  readonly token_version: string
  readonly user_version: string
  readonly permission_versions: string
  readonly server_start: string
}

/** SQL: the columns of `TokenVersions`, of the token `t` and its user `u`. */
export const versionColumns = `
  t.xmin as token_version, u.xmin as user_version, ${permissionVersions} as permission_versions,
  pg_postmaster_start_time() as server_start`

const sql = `
  exists (select from users_token t where t.key = $1 and t.xmin = $2::xid and not ${isExpired} and not ${isStale})
  and exists (select from users_user u where u.id = $3::bigint and u.xmin = $4::xid
    and (u.is_superuser or ${permissionVersions} = $5))
  and pg_postmaster_start_time() = $6::timestamptz`

/** The condition that the token of a digest still gives its user the same, by what it was found with. */
export const stillGives = (token: string, user: number, found: TokenVersions): Where => {
  const { token_version, user_version, permission_versions, server_start } = found
  return { sql, parameters: [token, token_version, `${user}`, user_version, permission_versions, server_start] }
}

export interface KnownToken {
  /** The condition that the token still gives the same. */
  readonly where: Where
  /** Networks that the token may be used from. */
  readonly allowed: ReadonlyArray<string>
  readonly principal: Principal
}

/** Most tokens that are kept; the oldest is evicted first. */
const keptMax = 1000

export class KnownTokens extends Context.Service<
  KnownTokens,
  {
    /** The token of this digest; undefined if it is not kept. */
    readonly get: (digest: string) => KnownToken | undefined
    readonly keep: (digest: string, token: KnownToken) => void
    readonly forget: (digest: string) => void
  }
>()("rackwire/auth/KnownTokens") {
  static readonly layer = Layer.sync(KnownTokens, () => {
    const kept = new Map<string, KnownToken>()
    return KnownTokens.of({
      get: (digest) => kept.get(digest),
      forget: (digest) => void kept.delete(digest),
      keep: (digest, token) => {
        kept.set(digest, token)
        keepNewest(kept, keptMax)
      }
    })
  })
}
