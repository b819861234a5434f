/** The languages in which a delivery can be verified. */
import { compiled } from "./Compiled.ts"
import { scripts } from "./Scripts.ts"
import type { Language } from "./Snippet.ts"

const order = ["node", "python", "go", "ruby", "php", "java", "csharp", "shell"]

export const languages: ReadonlyArray<Language> = [...scripts, ...compiled].toSorted(
  (a, b) => order.indexOf(a.name) - order.indexOf(b.name)
)
