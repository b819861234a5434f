import { ConfigProvider, Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { options } from "../src/Config.ts"

/** The value of the option that the variable sets, or the message that refuses it. */
const read = (env: string, value: string): unknown => {
  const option = Object.values(options).find((each) => each.env === env)!
  const provider = ConfigProvider.fromEnv({ env: { [env]: value } })
  const result = Effect.runSync(
    Effect.result(option.value as Effect.Effect<unknown, { readonly message: string }>).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, provider)
    )
  )
  return Result.isSuccess(result) ? result.success : result.failure.message
}

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
    [
      "BASE_URL",
      "rackwire.example.org",
      "is not an address like https://rackwire.example.org, without a slash at the end."
    ],
    [
      "BASE_URL",
      "https://rackwire.example.org/",
      "is not an address like https://rackwire.example.org, without a slash at the end."
    ],
    ["DEFAULT_PERMISSIONS", "[]", "is not an object as JSON."]
  ])("refuses %s=%s with the value and what is expected", (env, value, message) => {
    expect(read(env, value)).toBe(`${env}: "${value}" ${message}`)
  })

  it("that is secret is refused without its value", () => {
    expect(read("DATABASE_URL", "mysql://me:hunter2@host/d")).toBe("DATABASE_URL: must begin with postgresql://")
    expect(read("REDIS_URL", "hunter2")).toBe(
      "REDIS_URL: the value is not an address like redis://:password@host:6379/0 or redis+cluster://one:6379,two:6379."
    )
  })

  it.each([
    ["PORT", "0", 0],
    ["STRICT_QUERY", "yes", true],
    ["BASE_URL", "https://rackwire.example.org/inventory", "https://rackwire.example.org/inventory"],
    ["WEBHOOK_ALLOW", " 10.0.0.0/8 ,, ::1", ["10.0.0.0/8", "::1"]],
    ["REDIS_MEMORY_LIMIT", "2 GiB", 2 * 1024 ** 3]
  ])("takes %s=%s", (env, value, expected) => {
    expect(read(env, value)).toEqual(expected)
  })
})
