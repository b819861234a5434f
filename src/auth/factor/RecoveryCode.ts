/**
 * Recovery codes: ten for each user, each valid once, in place of another second factor.
 *
 * Guarantees: a code is shown when it is made and then stored as a digest alone; it has 80 random bits, so its digest
 * cannot be reversed by guessing; of concurrent requests with one code, in any process, one succeeds.
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { digest } from "../../inventory/Vault.ts"
import type { Table } from "../../postgres/migrate/Table.ts"

export const recoveryCodeTable: Table = {
  name: "rackwire_recovery_code",
  daily: false,
  columns: [
    { name: "user_id", type: "bigint", nullable: false },
    { name: "digest", type: "text", nullable: false }
  ],
  constraints: [
    { name: "rackwire_recovery_code_key", sql: "unique (user_id, digest)" },
    {
      name: "rackwire_recovery_code_user_id_fkey",
      sql: "foreign key (user_id) references users_user (id) on delete cascade"
    }
  ],
  indexes: [],
  triggers: [],
  published: false
}

/** Codes that a user gets. */
export const recoveryCodesMax = 10

/** Crockford's base32, five bits a character. It reads the letters that it lacks as the digits that resemble them. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const alike: Readonly<Record<string, string>> = { o: "0", i: "1", l: "1" }
const codeChars = 16
const groupChars = 4

/** Most characters of a code as it is typed, spaces included. */
const textCharsMax = 64

/** Returns a new code, as it is shown: `k7dm-2hxa-9wqe-tfrb`. */
export const newRecoveryCode = (): string =>
  grouped(Array.from(randomBytes(codeChars), (byte) => alphabet[byte % alphabet.length]!).join(""))

const grouped = (code: string): string => code.replaceAll(new RegExp(`(.{${groupChars}})(?=.)`, "g"), "$1-")

/** Returns the code in the form that is digested; undefined if the text has another form than a code. */
export const plainRecoveryCode = (text: string): string | undefined => {
  if (text.length > textCharsMax) return undefined
  const plain = text
    .toLowerCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll(/[oil]/g, (sign) => alike[sign]!)
  return plain.length === codeChars && [...plain].every((sign) => alphabet.includes(sign)) ? plain : undefined
}

const digestOf = (user: number, plain: string): string => digest(`recovery code ${user} ${plain}`)

/** Makes ten codes in place of all earlier ones, and returns them. Needs a transaction. */
export const replaceRecoveryCodes = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const codes = Array.from({ length: recoveryCodesMax }, newRecoveryCode)
  yield* removeRecoveryCodes(user)
  for (const code of codes) {
    yield* sql`
      insert into rackwire_recovery_code (user_id, digest)
      values (${`${user}`}::bigint, ${digestOf(user, plainRecoveryCode(code)!)})`
  }
  return codes
})

export const removeRecoveryCodes = (user: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`delete from rackwire_recovery_code where user_id = ${`${user}`}::bigint`
  )

/** Makes ten codes for a user without any, and returns them; returns none for a user who has some. Needs a transaction. */
export const firstRecoveryCodes = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select id from rackwire_recovery_code where user_id = ${`${user}`}::bigint limit 1`
  return rows.length > 0 ? [] : yield* replaceRecoveryCodes(user)
})

/** Uses up a code of the user. Returns false if the user has no such code, or it was used before. */
export const spendRecoveryCode = Effect.fnUntraced(function* (user: number, plain: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly digest: string }>`
    select id::text as id, digest from rackwire_recovery_code where user_id = ${`${user}`}::bigint`
  const wanted = Buffer.from(digestOf(user, plain))
  // All are compared, each in constant time.
  const isWanted = rows.map((row) => {
    const each = Buffer.from(row.digest)
    return each.length === wanted.length && timingSafeEqual(each, wanted)
  })
  const found = rows[isWanted.indexOf(true)]
  if (found === undefined) return false
  const spent = yield* sql`delete from rackwire_recovery_code where id = ${found.id}::bigint returning id::text as id`
  return spent.length > 0
})
