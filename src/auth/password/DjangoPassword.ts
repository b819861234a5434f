/**
 * Hashes of passwords as Django stores them: users who were moved from NetBox have these until they log in. Source:
 * Django's password hashers of the releases 3.2 to 5.1.
 */
import { pbkdf2, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { verifyPassword } from "../../inventory/Vault.ts"

const derive = promisify(pbkdf2)

/** Most iterations that a login computes, about a second: Django 5.1 has 870,000. */
const iterationsMax = 4_000_000

const digests: Readonly<Record<string, string>> = { pbkdf2_sha256: "sha256", pbkdf2_sha1: "sha1" }

/** Whether the password has this hash, `<hasher>$<iterations>$<salt>$<base64>`; undefined if it has another format. */
const verifyDjango = async (password: string, stored: string): Promise<boolean | undefined> => {
  const [, hasher = "", iterations, salt = "", expected = ""] =
    /^(pbkdf2_sha\d+)\$(\d{1,9})\$([^$]*)\$([^$]+)$/.exec(stored) ?? []
  const digest = digests[hasher]
  if (digest === undefined) return undefined
  const rounds = Number(iterations)
  if (rounds < 1 || rounds > iterationsMax) return false
  const want = Buffer.from(expected, "base64")
  const hash = await derive(password, salt, rounds, digest === "sha1" ? 20 : 32, digest)
  return hash.length === want.length && timingSafeEqual(hash, want)
}

/** Whether the password is the one that was hashed, by us or by Django. False for a hash of another format. */
export const verifyStored = async (password: string, stored: string): Promise<boolean> =>
  // Django stores the name of its hasher before the PHC string of Argon2.
  (await verifyDjango(password, stored)) ?? verifyPassword(password, stored.replace(/^argon2(?=\$argon2)/, ""))
