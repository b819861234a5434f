/**
 * The engines of config templates: Jinja2 with the options of its environment that treat white space. An engine has its
 * options in its name, so a template and its options are one key wherever templates are kept. Pure.
 */
import { isDictionary } from "../inventory/Field.ts"

/** Jinja2's options, and ours by them. Others, such as `extensions` or `undefined`, would load code. */
const options = {
  trim_blocks: "trimBlocks",
  lstrip_blocks: "lstripBlocks",
  keep_trailing_newline: "keepTrailingNewline"
} as const

const names = Object.keys(options) as ReadonlyArray<keyof typeof options>

const prefix = "jinja:"

/** The fault of the parameters of an environment; undefined if they are valid. */
export const environmentProblem = (params: unknown): string | undefined => {
  if (!isDictionary(params)) return `Use an object with some of ${names.join(", ")}.`
  const unknown = Object.keys(params).find((name) => !names.some((each) => each === name))
  if (unknown !== undefined)
    return `The parameter ${JSON.stringify(unknown)} is not supported: use ${names.join(", ")}.`
  const wrong = names.find((name) => Object.hasOwn(params, name) && typeof params[name] !== "boolean")
  return wrong === undefined ? undefined : `${wrong} must be true or false.`
}

/** The engine with these parameters; parameters that are not supported have no effect. */
export const configEngine = (params: unknown): string => {
  const set = isDictionary(params) ? names.filter((name) => params[name] === true) : []
  return set.length === 0 ? "jinja" : `${prefix}${set.join(",")}`
}

/** The options of such an engine; undefined for every other engine. */
export const lexicalOptions = (engine: string): Readonly<Record<string, boolean>> | undefined => {
  if (!engine.startsWith(prefix)) return undefined
  const set = engine.slice(prefix.length).split(",")
  const chosen = names.filter((name) => set.includes(name))
  return chosen.length === set.length ? Object.fromEntries(chosen.map((name) => [options[name], true])) : undefined
}
