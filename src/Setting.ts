/** The parts of an option: name, kind of value, default, description. Config.ts lists the options. */
import { readFileSync } from "node:fs"
import { Config, ConfigProvider, Duration, Effect, Redacted, Schema } from "effect"
import { Environment, fileVariable, isQuoted } from "./Environment.ts"
import { urlProblem } from "./postgres/PostgresUrl.ts"
import { redisUrlProblem } from "./redis/RedisUrl.ts"

/** The service cannot work with the value of an option; the start fails. The message begins with the option's name. */
export class OptionRefused extends Schema.TaggedError<OptionRefused>()("OptionRefused", { message: Schema.String }) {}

/** A kind of value: how it is read, and which values are expected, for messages. */
interface Kind<A> {
  readonly read: (name: string) => Config.Config<A>
  readonly expects: string
  /** Whether messages leave the value out. It may be in a file, and quotes are part of it. */
  readonly isSecret?: boolean
  /** Whether an empty value is refused, because it would mean another server. It may be in a file. */
  readonly isAddress?: boolean
  /** The value as it is read, where people write it in several ways. */
  readonly spelled?: (value: string) => string
  /** Returns the fault of a value that was not accepted, for messages; undefined for `expects` in general. */
  readonly problem?: (value: string) => string | undefined
}

export interface Setting<A> {
  readonly env: string
  /** The value, or the default. Fails with the value, unless it is secret, and what is expected instead. */
  readonly value: Effect.Effect<A, OptionRefused>
  /** The default as docs/reference.md shows it. */
  readonly fallback: string
  readonly description: string
}

export const setting = <A>(
  env: string,
  kind: Kind<A>,
  fallback: A,
  description: string,
  shown: string = String(fallback)
): Setting<A> => ({ env, value: valueOf(env, kind, fallback), fallback: shown, description })

export const optional = <A>(env: string, kind: Kind<A>, description: string, shown = ""): Setting<A | undefined> => ({
  env,
  value: valueOf<A, undefined>(env, kind, undefined),
  fallback: shown,
  description
})

const valueOf = <A, B>(env: string, kind: Kind<A>, fallback: B): Effect.Effect<A | B, OptionRefused> =>
  Effect.gen(function* () {
    const given = yield* textOf(env, kind)
    if (given === undefined || (given === "" && kind.isAddress !== true)) return fallback
    const { isSecret = false, isAddress = false, spelled = (value: string) => value } = kind
    const fault = (text: string) => new OptionRefused({ message: `${env}: ${text}` })
    if (given === "") return yield* fault("is empty. Set an address, or remove the variable.")
    if (isQuoted(given) && (isAddress || !isSecret)) return yield* fault("the value is in quotes: remove them.")
    const only = ConfigProvider.fromUnknown({ [env]: spelled(given) })
    return yield* kind.read(env).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, only),
      Effect.catch(() =>
        fault(kind.problem?.(given) ?? `${isSecret ? "the value" : `"${given}"`} is not ${kind.expects}.`)
      )
    )
  })

/** The text of an option, from its variable or from the file that its other variable names. */
const textOf = Effect.fnUntraced(function* (env: string, { isSecret, isAddress }: Kind<unknown>) {
  const variables = yield* Environment
  const name = fileVariable(env)
  const [text, path = ""] = [variables[env], isSecret === true || isAddress === true ? variables[name] : undefined]
  if (path === "") return text
  const fault = (message: string) => new OptionRefused({ message: `${name}: ${message}` })
  if (text !== undefined && text !== "") return yield* fault(`${env} is set too: remove one of the two.`)
  const content = yield* Effect.try({
    try: () => readFileSync(path, "utf8").replace(/\r?\n$/, ""),
    catch: (error) => fault(`the file cannot be read: ${(error as Error).message}.`)
  })
  return content === "" ? yield* fault(`${path} is empty.`) : content
})

// --- kinds of values

export const text: Kind<string> = { read: Config.String, expects: "a text" }

export const secret: Kind<Redacted.Redacted> = { read: Config.Redacted, expects: "a text", isSecret: true }

/** Least length of a key, characters. */
const keyCharsMin = 32

export const secretKey: Kind<Redacted.Redacted> = {
  read: (name) => Config.schema(Schema.Redacted(Schema.String.check(Schema.makeFilter(isLongKey))), name),
  expects: `of at least ${keyCharsMin} characters. A service that has run with a shorter key keeps it in SECRET_KEY_FALLBACKS`,
  isSecret: true
}

const isLongKey = (key: string): boolean => [...key].length >= keyCharsMin

/** An address with a password. */
export const secretAddress: Kind<Redacted.Redacted> = { ...secret, isAddress: true }

export const yesOrNo: Kind<boolean> = {
  read: Config.Boolean,
  expects: "true or false",
  spelled: (value) => value.toLowerCase()
}

const parts = (name: string) =>
  Config.map(Config.String(name), (text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
  )

export const list: Kind<ReadonlyArray<string>> = { read: parts, expects: "a list, separated by commas" }

/** Each line, and its parts between commas: a secret may have a comma itself. */
const alternatives = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n").map((line) => line.trim())
  const all = lines.flatMap((line) => [line, ...line.split(",").map((part) => part.trim())])
  return [...new Set(all)].filter((each) => each !== "")
}

export const secrets: Kind<ReadonlyArray<Redacted.Redacted>> = {
  read: (name) => Config.map(Config.String(name), (text) => alternatives(text).map((key) => Redacted.make(key))),
  expects: "a list, separated by commas",
  isSecret: true
}

/** An integer in these bounds, both included. */
export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): Kind<number> => ({
  read: (name) =>
    Config.schema(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum })), name),
  expects:
    maximum === Number.MAX_SAFE_INTEGER
      ? `an integer of at least ${minimum}`
      : `an integer from ${minimum} to ${maximum}`
})

export const duration: Kind<Duration.Duration> = {
  read: (name) =>
    Config.schema(
      Schema.DurationFromString.check(
        Schema.makeFilter((value) => Duration.isFinite(value) && Duration.isPositive(value))
      ),
      name
    ),
  expects: "a duration with its unit, like 30 seconds, 5 minutes or 2 hours"
}

export const days: Kind<Duration.Duration> = {
  read: (name) => Config.map(integer(1, 36_500).read(name), Duration.days),
  expects: "a number of days from 1 to 36500"
}

/** Least size of a memory: Redis needs a few megabytes for itself. */
const memoryBytesMin = 16 * 1024 * 1024

export const memory: Kind<number> = {
  read: (name) =>
    Config.schema(
      Schema.ByteSizeFromString.check(Schema.makeFilter((size) => Number(size) >= memoryBytesMin)),
      name
    ).pipe(Config.map(Number)),
  expects: "a size of at least 16 MiB with its unit, like 512 MB or 2 GiB"
}

/** A part of a whole. */
export const ratio: Kind<number> = {
  read: (name) => Config.schema(Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 })), name),
  expects: "a number from 0 to 1"
}

/** An address that paths are added to, with or without a slash at its end. */
export const endpoint: Kind<string> = {
  read: (name) =>
    Config.schema(
      Schema.String.check(Schema.makeFilter((url) => URL.canParse(url) && /^https?:\/\/[^?#]+$/.test(url))),
      name
    ),
  expects: "an address like http://localhost:4318",
  isAddress: true
}

export const oneOf = <const Literals extends ReadonlyArray<string>>(...values: Literals): Kind<Literals[number]> => ({
  read: (name) => Config.Literals(values, name),
  expects: values.join(" or ")
})

export const json: Kind<unknown> = {
  read: (name) => Config.schema(Schema.fromJsonString(Schema.Unknown), name),
  expects: "JSON"
}

export const jsonObject: Kind<Readonly<Record<string, unknown>>> = {
  read: (name) => Config.schema(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)), name),
  expects: "an object as JSON"
}

export const postgresUrl: Kind<Redacted.Redacted> = {
  read: (name) =>
    Config.schema(
      Schema.Redacted(Schema.String.check(Schema.makeFilter((url) => urlProblem(url) === undefined))),
      name
    ),
  expects: "the address of a Postgres",
  isSecret: true,
  isAddress: true,
  problem: urlProblem
}

export const redisUrl: Kind<Redacted.Redacted> = {
  read: (name) =>
    Config.schema(
      Schema.Redacted(Schema.String.check(Schema.makeFilter((url) => redisUrlProblem(url) === undefined))),
      name
    ),
  expects: "the address of a Redis",
  isSecret: true,
  problem: redisUrlProblem,
  isAddress: true
}

/** An issuer of OpenID Connect, to the letter: a slash at its end is part of it. */
export const issuer: Kind<string> = {
  read: (name) => Config.schema(Schema.String.check(Schema.makeFilter(isIssuer)), name),
  expects: "an address like https://login.example.org; http:// is for a provider on this machine",
  isAddress: true
}

export const isIssuer = (url: string): boolean => {
  const { protocol, hostname, username, password } = URL.parse(url) ?? new URL("about:blank")
  const isHere = protocol === "http:" && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
  return (protocol === "https:" || isHere) && `${username}${password}` === "" && !/[?#]|\/\.well-known\//.test(url)
}

export const webAddress: Kind<string> = {
  read: (name) => Config.schema(Schema.String.check(Schema.makeFilter(isWebAddress)), name),
  expects: "an address like https://rackwire.example.org",
  isAddress: true,
  spelled: (url) => url.replace(/\/+$/, "")
}

const isWebAddress = (url: string): boolean => {
  const parsed = URL.parse(url)
  return (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    !/[/?#]$/.test(url) &&
    parsed.search === "" &&
    parsed.hash === ""
  )
}
