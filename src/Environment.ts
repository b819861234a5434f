/**
 * The environment of this process, which only this module reads, and variables in it that are probably mistakes.
 * Setting.ts reads options from it.
 */
import { Context } from "effect"

export type Variables = Readonly<Record<string, string | undefined>>

/** A test gives other variables to a service in its own process. */
export const Environment = Context.Reference<Variables>("rackwire/Environment", { defaultValue: () => process.env })

/** The whole environment of this process, for another process that it starts. */
export const inheritedEnvironment = (): NodeJS.ProcessEnv => process.env

/** The variable that names a file with the value of an option. */
export const fileVariable = (option: string): string => `${option}_FILE`

export const isQuoted = (value: string): boolean => /^(["']).*\1$/s.test(value)

/** A shorter name resembles too many variables of other programs. */
const nameCharsMin = 8

/** Most typing mistakes in a name. */
const mistakesMax = 2

/** Kubernetes sets such variables for a Service named `rackwire`. */
const ofKubernetes = /^RACKWIRE_(SERVICE_|PORT_\d)/

/**
 * A sentence for each variable that is not read and whose name resembles that of an option, and for each option whose
 * value is in quotes.
 */
export const environmentWarnings = (variables: Variables, options: ReadonlyArray<string>): ReadonlyArray<string> => {
  const read = new Set([...options, ...options.map(fileVariable)])
  return Object.entries(variables).flatMap(([name, value = ""]) => {
    if (read.has(name))
      return isQuoted(value) ? [`the value of ${name} is in quotes, which are taken as part of it`] : []
    if (ofKubernetes.test(name) || value.startsWith("tcp://")) return []
    const nearest = nearestOption(name, [...read])
    return nearest === undefined ? [] : [`${name} is not an option and is not read: is it ${nearest}?`]
  })
}

/** The option whose name resembles this one most, if any does. */
export const nearestOption = (name: string, options: ReadonlyArray<string>): string | undefined => {
  const whole = name.toUpperCase()
  const bare = whole.replace(/^RACKWIRE_/, "")
  if (bare !== whole && options.includes(bare)) return bare
  const near = [whole, bare]
    .filter((spelling) => spelling.length >= nameCharsMin)
    .flatMap((spelling) => options.map((option) => ({ option, mistakes: mistakesBetween(spelling, option) })))
    .filter(({ mistakes }) => mistakes <= mistakesMax)
  return near.toSorted((a, b) => a.mistakes - b.mistakes)[0]?.option
}

/** Characters that were added, left out, replaced, or swapped with their neighbour; more than the most counts as one more. */
export const mistakesBetween = (typed: string, meant: string): number => {
  if (Math.abs(typed.length - meant.length) > mistakesMax) return mistakesMax + 1
  let [beforeLast, last]: [Array<number>, Array<number>] = [[], Array.from({ length: meant.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= typed.length; row++) {
    const current = [row]
    for (let at = 1; at <= meant.length; at++) {
      const isSame = typed[row - 1] === meant[at - 1]
      const isSwapped = row > 1 && at > 1 && typed[row - 1] === meant[at - 2] && typed[row - 2] === meant[at - 1]
      current[at] = Math.min(
        last[at]! + 1,
        current[at - 1]! + 1,
        last[at - 1]! + (isSame ? 0 : 1),
        isSwapped ? beforeLast[at - 2]! + 1 : Number.POSITIVE_INFINITY
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[meant.length]!
}
