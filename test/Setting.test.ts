import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { options } from "../src/Config.ts"
import { Environment, type Variables } from "../src/Environment.ts"

/** The value of the option in this environment, or the message that refuses it. */
const readIn = (variables: Variables, env: string): unknown => {
  const option = Object.values(options).find((each) => each.env === env)!
  const result = Effect.runSync(
    Effect.result(option.value as Effect.Effect<unknown, { readonly message: string }>).pipe(
      Effect.provideService(Environment, variables)
    )
  )
  if (Result.isFailure(result)) return result.failure.message
  return Redacted.isRedacted(result.success) ? Redacted.value(result.success) : result.success
}

const read = (env: string, value: string): unknown => readIn({ [env]: value }, env)

const longKey = "a key of thirty-two characters or more"

describe("an option", () => {
  it.each([
    ["WEBHOOK_TIMEOUT", "30", "is not a duration with its unit, like 30 seconds, 5 minutes or 2 hours."],
    ["LOGIN_TIMEOUT", "-3 days", "is not a duration with its unit, like 30 seconds, 5 minutes or 2 hours."],
    ["PORT", "99999", "is not an integer from 0 to 65535."],
    ["PORT", "http", "is not an integer from 0 to 65535."],
    ["MAX_PAGE_SIZE", "-3", "is not an integer of at least 0."],
    ["CHANGELOG_RETENTION", "0.5", "is not a number of days from 1 to 36500."],
    ["STRICT_QUERY", "maybe", "is not true or false."],
    ["WEBHOOK_TARGET_POLICY", "open", "is not private or public."],
    ["REDIS_MEMORY_LIMIT", "much", "is not a size of at least 16 MiB with its unit, like 512 MB or 2 GiB."],
    ["REDIS_MEMORY_LIMIT", "5", "is not a size of at least 16 MiB with its unit, like 512 MB or 2 GiB."],
    ["BASE_URL", "rackwire.example.org", "is not an address like https://rackwire.example.org."],
    ["DEFAULT_PERMISSIONS", "[]", "is not an object as JSON."]
  ])("refuses %s=%s with the value and what is expected", (env, value, message) => {
    expect(read(env, value)).toBe(`${env}: "${value}" ${message}`)
  })

  it("that is secret is refused without its value", () => {
    expect(read("DATABASE_URL", "mysql://me:hunter2@host/d")).toBe("DATABASE_URL: must begin with postgresql://")
    expect(read("REDIS_URL", "hunter2")).toBe(
      "REDIS_URL: the value is not an address like redis://:password@host:6379/0, redis+cluster://one:6379,two:6379 or redis+sentinel://one:26379,two:26379/<primary>."
    )
  })

  it.each(["DATABASE_URL", "REDIS_URL", "BASE_URL", "WEBHOOK_PROXY"])(
    "that is an address is refused empty: %s",
    (env) => {
      expect(read(env, "")).toBe(`${env}: is empty. Set an address, or remove the variable.`)
    }
  )

  it.each([
    ["PORT", "", 8000],
    ["SECRET_KEY", "", undefined]
  ])("that is no address may be empty: %s", (env, value, expected) => expect(read(env, value)).toBe(expected))

  it.each([
    ["PORT", '"8000"'],
    ["WEBHOOK_ALLOW", "'10.0.0.0/8'"],
    ["REDIS_URL", '"redis://127.0.0.1:6379"'],
    ["DEFAULT_PERMISSIONS", "'{}'"]
  ])("is refused in quotes: %s=%s", (env, value) => {
    expect(read(env, value)).toBe(`${env}: the value is in quotes: remove them.`)
  })

  it("SECRET_KEY has 32 characters at least", () => {
    expect(read("SECRET_KEY", "changeme")).toMatch(/^SECRET_KEY: the value is not of at least 32 characters\./)
    expect(read("SECRET_KEY", longKey.slice(0, 32))).toBe(longKey.slice(0, 32))
  })

  it("SECRET_KEY_FALLBACKS may have keys with commas", () => {
    const read = (text: string) =>
      (readIn({ SECRET_KEY_FALLBACKS: text }, "SECRET_KEY_FALLBACKS") as ReadonlyArray<Redacted.Redacted>).map(
        Redacted.value
      )
    expect(read("one, two")).toEqual(["one, two", "one", "two"])
    expect(read("a,b\nc")).toEqual(["a,b", "a", "b", "c"])
  })

  describe("in a file", () => {
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "rackwire-option-"))
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    const file = (content: string): string => {
      const path = join(folder, "value")
      writeFileSync(path, content)
      return path
    }

    it.each([
      ["SECRET_KEY", longKey],
      ["DATABASE_URL", "postgresql://me:secret@host/rackwire"],
      ["REDIS_URL", "redis://:secret@host:6379/0"],
      ["BASE_URL", "https://rackwire.example.org"],
      ["SUPERUSER_PASSWORD", "correct horse"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "a=b"]
    ])("is read without the line break at its end: %s", (env, value) => {
      expect(readIn({ [`${env}_FILE`]: file(`${value}\n`) }, env)).toBe(value)
      expect(readIn({ [`${env}_FILE`]: file(value), [env]: "" }, env)).toBe(value)
    })

    it("is refused where the variable is set too, and where the file is missing or empty", () => {
      expect(readIn({ SECRET_KEY_FILE: file(longKey), SECRET_KEY: longKey }, "SECRET_KEY")).toBe(
        "SECRET_KEY_FILE: SECRET_KEY is set too: remove one of the two."
      )
      expect(readIn({ SECRET_KEY_FILE: "/nowhere" }, "SECRET_KEY")).toMatch(
        /^SECRET_KEY_FILE: the file cannot be read: ENOENT.*nowhere/
      )
      const empty = file("\n")
      expect(readIn({ SECRET_KEY_FILE: empty }, "SECRET_KEY")).toBe(`SECRET_KEY_FILE: ${empty} is empty.`)
    })
  })

  it.each([
    ["PORT", "0", 0],
    ["LOGIN_REQUIRED", "True", true],
    ["LOGIN_REQUIRED", "FALSE", false],
    ["BASE_URL", "https://rackwire.example.org/", "https://rackwire.example.org"],
    ["STRICT_QUERY", "yes", true],
    ["BASE_URL", "https://rackwire.example.org/inventory", "https://rackwire.example.org/inventory"],
    ["WEBHOOK_ALLOW", " 10.0.0.0/8 ,, ::1", ["10.0.0.0/8", "::1"]],
    ["REDIS_MEMORY_LIMIT", "2 GiB", 2 * 1024 ** 3]
  ])("takes %s=%s", (env, value, expected) => {
    expect(read(env, value)).toEqual(expected)
  })
})
