/** The parts of an option: name, type, default, description. Config.ts lists the options. */
import { Config, Duration, Option, Schema } from "effect"
import { urlProblem } from "./postgres/PostgresUrl.ts"

/** The service cannot work with the value of an option; the start fails. The message begins with the option's name. */
export class OptionRefused extends Schema.TaggedError<OptionRefused>()("OptionRefused", { message: Schema.String }) {}

export interface Setting<A> {
  readonly env: string
  readonly config: Config.Config<A>
  /** The default as the README shows it. */
  readonly fallback: string
  readonly description: string
}

export const setting = <A>(
  env: string,
  read: (name: string) => Config.Config<A>,
  fallback: A,
  description: string,
  shown: string = String(fallback)
): Setting<A> => ({ env, config: Config.withDefault(read(env), fallback), fallback: shown, description })

export const optional = <A>(
  env: string,
  read: (name: string) => Config.Config<A>,
  description: string,
  shown = ""
): Setting<A | undefined> => ({
  env,
  config: Config.map(Config.option(read(env)), Option.getOrUndefined),
  fallback: shown,
  description
})

export const list = (name: string) =>
  Config.map(Config.String(name), (text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
  )

export const port = (name: string) =>
  Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })), name)

export const positive = (name: string) => Config.schema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)), name)

export const postgresUrl = (name: string) =>
  Config.schema(Schema.Redacted(Schema.String.check(Schema.makeFilter((url) => urlProblem(url) ?? true))), name)

export const bytes = (name: string) => Config.map(Config.ByteSize(name), Number)

export const days = (name: string) => Config.map(Config.Int(name), Duration.days)
