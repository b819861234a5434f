/**
 * Protects secrets at rest: sealed texts, password hashes, token digests.
 *
 * Guarantees: a sealed text cannot be read or changed without SECRET_KEY; a password cannot be recovered; a token can
 * be found by its key, but the key cannot be recovered. A sealed text names its key: texts sealed with one of
 * SECRET_KEY_FALLBACKS can be opened, and the start of the service seals them again with SECRET_KEY.
 */
import { argon2, createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { Context, Effect, Layer } from "effect"
import { Settings, reveal } from "../Config.ts"
import { Servers } from "../embedded/Servers.ts"

/** The least cost of Argon2id that OWASP recommends: 19 MiB, two passes, one lane. About 40 ms on a slow core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const hashBytes = 32
const saltBytes = 16

/** Length of passwords, characters. Longer ones would not be safer but cost more to check. */
export const passwordLength = { min: 8, max: 256 }

const deriveHash = promisify(argon2)

export class Vault extends Context.Service<
  Vault,
  {
    /** AES-256-GCM: `s2.<key id>.<nonce, tag and text in base64url>`. */
    readonly seal: (text: string) => string
    /** Opens a sealed text; undefined if its key is unknown or it was changed. */
    readonly open: (sealed: string) => string | undefined
    /** With ALLOW_TOKEN_RETRIEVAL: the sealed text, to keep besides its digest. Else "". */
    readonly copy: (text: string) => string
    /** Prefix of texts sealed with the current key. */
    readonly prefix: string
    /** Prefixes of texts that can be opened. */
    readonly prefixes: ReadonlyArray<string>
  }
>()("rackwire/Vault") {
  static readonly layer = Layer.effect(
    Vault,
    Effect.gen(function* () {
      const { secretKey } = yield* Servers
      const { secretKeyFallbacks, allowTokenRetrieval } = yield* Settings
      const current = new SealingKey(reveal(secretKey))
      const keys = [current, ...secretKeyFallbacks.map((key) => new SealingKey(reveal(key)))]
      return Vault.of({
        seal: (text) => current.seal(text),
        copy: (text) => (allowTokenRetrieval ? current.seal(text) : ""),
        open: (sealed) => {
          for (const key of keys) if (sealed.startsWith(key.prefix)) return key.open(sealed.slice(key.prefix.length))
          // The text was sealed before keys had names.
          if (!sealed.startsWith("s1.")) return undefined
          return keys.map((key) => key.open(sealed.slice(3))).find((text) => text !== undefined)
        },
        prefix: current.prefix,
        prefixes: keys.map(({ prefix }) => prefix)
      })
    })
  )
}

/** Begins each sealed text. */
export const sealedMark = "s2."

/** Bytes of a key's id, and length of a prefix, characters. */
const keyIdBytes = 6
export const prefixChars = sealedMark.length + (keyIdBytes * 4) / 3 + 1

class SealingKey {
  readonly prefix: string
  private readonly key: Buffer

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync("sha256", secret, "", "rackwire sealed text", 32))
    const id = Buffer.from(hkdfSync("sha256", secret, "", "rackwire sealed text, key id", keyIdBytes))
    this.prefix = `${sealedMark}${id.toString("base64url")}.`
  }

  seal(text: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", this.key, nonce)
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
    return `${this.prefix}${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")}`
  }

  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url")
    if (bytes.length < 28) return undefined
    const decipher = createDecipheriv("aes-256-gcm", this.key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8")
    } catch {
      return undefined
    }
  }
}

const parameters = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`

/** Whether the password was hashed at a cost other than the current one. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(parameters)

/** Returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`. */
export const hashPassword = async (password: string): Promise<string> => {
  const nonce = randomBytes(saltBytes)
  const hash = await deriveHash("argon2id", { message: password, nonce, tagLength: hashBytes, ...cost })
  return phcString(nonce, hash)
}

/** A hash that no password has, at the current cost: it is drawn. */
export const hashOfNobody = (): string => phcString(randomBytes(saltBytes), randomBytes(hashBytes))

const phcString = (nonce: Buffer, hash: Buffer): string => `${parameters}${unpadded(nonce)}$${unpadded(hash)}`

/** Most memory of a hash that a login computes, KiB, and most passes over it: another cost than ours may be stored. */
const costMax = { memory: 262_144, passes: 20 }

/**
 * Whether the password is the one that was hashed; takes the same time in both cases. False for a hash of another
 * format, which plain SQL may have stored.
 */
export const verifyPassword = async (password: string, stored: string): Promise<boolean> => {
  const match = /^\$(argon2id?)\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored)
  if (match === null) return false
  const [, variant, memory, passes, lanes, nonce = "", expected = ""] = match
  if (Number(memory) > costMax.memory || Number(passes) > costMax.passes) return false
  const want = Buffer.from(expected, "base64")
  try {
    const hash = await deriveHash(variant as "argon2id" | "argon2i", {
      message: password,
      nonce: Buffer.from(nonce, "base64"),
      tagLength: want.length,
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(lanes)
    })
    return timingSafeEqual(hash, want)
  } catch {
    return false
  }
}

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "")

/** The digest by which a generated secret is stored. The secret has too many random bits to be found by guessing. */
export const digest = (secret: string): string => hash("sha256", secret)

/** Length of the end of a token's key that is shown to distinguish tokens, characters. */
export const tokenTail = 6

/**
 * The stored form of a token's key: its last characters, to show, and its SHA-256. A key has 160 random bits, so a
 * plain digest is safe against guessing, and one indexed comparison finds the token.
 */
export const digestToken = (key: string): string => `${key.slice(-tokenTail)}$${digest(key)}`

export const generateToken = (): string => randomBytes(20).toString("hex")
