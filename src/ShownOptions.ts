/** The options of a process for people to read, and their mistakes in the environment. */
import { Duration, Redacted } from "effect"
import { type Values, options } from "./Config.ts"
import { type Variables, environmentWarnings, fileVariable, nearestOption } from "./Environment.ts"

/** An option as people read it. */
interface ShownSetting {
  readonly name: string
  /** "(set)" for a secret; in brackets what counts where nothing is set. */
  readonly value: string
  /** Whether the environment of this process sets it. */
  readonly isSet: boolean
  readonly description: string
}

/** A value as people read it; `fallback` is the default in words. */
const shownValue = (value: unknown, fallback: string): string => {
  if (Redacted.isRedacted(value)) return "(set)"
  if (value === undefined) return fallback === "" ? "(unset)" : `(${fallback})`
  if (Duration.isDuration(value)) return Duration.format(value)
  return typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : String(value)
}

/** The options that the environment sets, for people to read; "(set)" for secrets. */
export const optionsSet = (values: Values, variables: Variables): Readonly<Record<string, string>> =>
  Object.fromEntries(
    settingsShown(values, variables).flatMap(({ name, value, isSet }) => (isSet ? [[name, value]] : []))
  )

/** The options of this process, for people to read. */
export const settingsShown = (values: Values, variables: Variables): ReadonlyArray<ShownSetting> =>
  Object.entries(options).map(([name, { env, fallback, description }]) => ({
    name: env,
    value: shownValue(values[name as keyof Values], fallback),
    isSet: [env, fileVariable(env)].some((variable) => (variables[variable] ?? "") !== ""),
    description
  }))

const optionNames = Object.values(options).map(({ env }) => env)

/** A sentence for each variable that is probably a mistake. */
export const optionWarnings = (variables: Variables): ReadonlyArray<string> =>
  environmentWarnings(variables, optionNames)

/** The option whose name this is meant to be, with or without its prefix and in either case. */
export const optionNear = (name: string): string | undefined => nearestOption(`RACKWIRE_${name}`, optionNames)
