/** How positional and keyword arguments become the parameters of a macro, or of one of the filters that are macros. */
import { type Native, type Obj, type Value, emptyObject, isKeywords } from "../value/Values.ts"

interface Bound {
  readonly positional: ReadonlyArray<Value>
  readonly keywords: Obj
}

/** Arguments beyond the parameters fill `defaults` in order. */
export const bind = (
  parameters: ReadonlyArray<string>,
  defaults: ReadonlyArray<string>,
  args: ReadonlyArray<Value>
): Bound => {
  const last = args.at(-1)
  const hasKeywords = isKeywords(last)
  const keywords: Obj = Object.assign(emptyObject(), hasKeywords ? last : undefined)
  const count = args.length - (hasKeywords ? 1 : 0)
  const positional = args.slice(0, Math.min(count, parameters.length))
  args.slice(positional.length, count).forEach((value, at) => {
    const name = defaults[at]
    if (name !== undefined) keywords[name] = value
  })
  for (const name of parameters.slice(count)) {
    positional.push(keywords[name])
    delete keywords[name]
  }
  return { positional, keywords }
}

/** A filter whose arguments may be given by name. */
export const byName = (parameters: ReadonlyArray<string>, filter: Native): Native => {
  return (run, ...args) => filter(run, ...bind(parameters, [], args).positional)
}
