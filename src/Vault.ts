/**
 * What is kept secret at rest, in one place: sealed texts, password hashes, token digests.
 *
 * Guarantees: a sealed text cannot be read or changed without SECRET_KEY; a password cannot be read back at all; a
 * token's key can be looked up by but not read back. A sealed text names its key: what was sealed with one of
 * SECRET_KEY_FALLBACKS is opened, and sealed anew with SECRET_KEY by whoever finds it.
 */
import { argon2, createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { Context, Effect, Layer } from "effect"
import { Settings, reveal } from "./Config.ts"
import { Servers } from "./embedded/Servers.ts"

/** Argon2id as OWASP recommends it at least: 19 MiB, two passes, one lane. About 40 ms on one slow core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const hashBytes = 32

/** Of passwords, characters. Longer ones would be no safer, and cost whoever checks them. */
export const passwordLength = { min: 8, max: 256 }

const deriveHash = promisify(argon2)

export class Vault extends Context.Service<
  Vault,
  {
    /** AES-256-GCM: `s2.<key id>.<nonce, tag and text in base64url>`. */
    readonly seal: (text: string) => string
    /** The text of a sealed one; undefined when it was sealed with an unknown key or changed. */
    readonly open: (sealed: string) => string | undefined
    /** The text sealed, where ALLOW_TOKEN_RETRIEVAL wants a copy of what else only its digest is kept of; or "". */
    readonly copy: (text: string) => string
    /** Beginning of what is sealed with the key of now. */
    readonly prefix: string
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
          // Before keys had names.
          if (!sealed.startsWith("s1.")) return undefined
          return keys.map((key) => key.open(sealed.slice(3))).find((text) => text !== undefined)
        },
        prefix: current.prefix
      })
    })
  )
}

class SealingKey {
  readonly prefix: string
  private readonly key: Buffer

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync("sha256", secret, "", "rackwire sealed text", 32))
    const id = Buffer.from(hkdfSync("sha256", secret, "", "rackwire sealed text, key id", 6))
    this.prefix = `s2.${id.toString("base64url")}.`
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

/** Whether the password was hashed at another cost than it would be now. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(parameters)

/** A PHC string: `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`. */
export const hashPassword = async (password: string): Promise<string> => {
  const nonce = randomBytes(16)
  const hash = await deriveHash("argon2id", { message: password, nonce, tagLength: hashBytes, ...cost })
  return `${parameters}${unpadded(nonce)}$${unpadded(hash)}`
}

/**
 * Whether the password is the one that was hashed. Costs the same whether it is or not. A hash that is none of ours,
 * which plain SQL may have stored, is that of no password.
 */
export const verifyPassword = async (password: string, stored: string): Promise<boolean> => {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored)
  if (match === null) return false
  const [, memory, passes, lanes, nonce = "", expected = ""] = match
  const want = Buffer.from(expected, "base64")
  try {
    const hash = await deriveHash("argon2id", {
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

/** What a secret of ours with enough random bits is known by where it is stored: it cannot be searched. */
export const digest = (secret: string): string => hash("sha256", secret)

/** Length of what a token's key is told apart by when it is shown, characters. */
export const tokenTail = 6

/**
 * What is stored of a token's key: its last characters, to show, and its SHA-256. A key has 160 random bits, so a plain
 * digest cannot be searched, and one indexed comparison finds the token.
 */
export const digestToken = (key: string): string => `${key.slice(-tokenTail)}$${digest(key)}`

export const generateToken = (): string => randomBytes(20).toString("hex")
