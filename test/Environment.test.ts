import { describe, expect, it } from "vitest"
import { mistakesBetween } from "../src/Environment.ts"
import { optionWarnings } from "../src/ShownOptions.ts"

const warning = (name: string, value = "x") => optionWarnings({ [name]: value })

describe("a variable that is not read", () => {
  it.each([
    ["WEBHOOK_TIMOUT", "WEBHOOK_TIMEOUT"],
    ["WEBHOOK_TIEMOUT", "WEBHOOK_TIMEOUT"],
    ["RACKWIRE_SECRET_KEY", "SECRET_KEY"],
    ["RACKWIRE_PORT", "PORT"],
    ["RACKWIRE_WEBHOOK_TIMOUT", "WEBHOOK_TIMEOUT"],
    ["database_url", "DATABASE_URL"],
    ["REDIS_URI", "REDIS_URL"],
    ["SECRETKEY_FILE", "SECRET_KEY_FILE"]
  ])("is named with the nearest option: %s", (name, option) => {
    expect(warning(name)).toEqual([`${name} is not an option and is not read: is it ${option}?`])
  })

  it.each([
    "PATH",
    "HOSTNAME",
    "HOSTS",
    "POST",
    "LANGUAGE",
    "BASH_ENV",
    "REDIS_HOST",
    "REDIS_PORT",
    "DATABASE_HOST",
    "NODE_ENV",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_SERVICE_NAME",
    "RACKWIRE_URL",
    "RACKWIRE_TOKEN",
    "RACKWIRE_SERVICE_HOST",
    "RACKWIRE_SERVICE_PORT",
    "RACKWIRE_PORT_8000_TCP_ADDR"
  ])("is passed over if it resembles none: %s", (name) => expect(warning(name)).toEqual([]))

  it("is passed over where Kubernetes sets it", () => {
    expect(warning("RACKWIRE_PORT", "tcp://10.0.0.1:8000")).toEqual([])
  })
})

describe("an option", () => {
  it.each(["DATABASE_URL", "SECRET_KEY_FILE", "PORT", "OTEL_EXPORTER_OTLP_ENDPOINT"])(
    "is not warned of: %s",
    (name) => {
      expect(warning(name)).toEqual([])
    }
  )

  it("with a secret in quotes is warned of, without the secret", () => {
    expect(warning("SECRET_KEY", '"hunter2"')).toEqual([
      "the value of SECRET_KEY is in quotes, which are taken as part of it"
    ])
  })
})

it.each([
  ["", "", 0],
  ["abc", "abc", 0],
  ["abc", "acb", 1],
  ["abc", "ab", 1],
  ["abc", "abxc", 1],
  ["abc", "xbc", 1],
  ["abcd", "badc", 2],
  ["a", "abcdef", 3]
])("%j differs from %j in %i mistakes", (typed, meant, mistakes) =>
  expect(mistakesBetween(typed, meant)).toBe(mistakes)
)
