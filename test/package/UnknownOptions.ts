/** Which of these names of environment variables no option of the service has. */
import { options } from "../../src/Config.ts"

const known: ReadonlySet<string> = new Set(Object.values(options).map(({ env }) => env))

export const unknownOptions = (names: Iterable<string>): ReadonlyArray<string> =>
  [...names].filter((name) => !known.has(name))
