/**
 * Gives code of the product the options, the pace and the console that it has from its process otherwise. The console
 * collects the output.
 */
import { format } from "node:util"
import { Console, Layer } from "effect"
import { Environment } from "../../src/Environment.ts"
import { Pace, scaledPace } from "../../src/eventloop/Pace.ts"

export const surroundings = (environment: Readonly<Record<string, string>>, pace = 1) => {
  let output = ""
  const print = (...values: ReadonlyArray<unknown>) => void (output += `${format(...values)}\n`)
  const layer = Layer.mergeAll(
    Layer.succeed(Environment, environment),
    Layer.succeed(Pace, scaledPace(pace)),
    Layer.succeed(Console.Console, { ...console, log: print, error: print, warn: print, info: print })
  )
  return {
    layer,
    /** Everything that was printed so far. */
    output: () => output
  }
}
