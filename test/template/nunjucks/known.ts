/** Differences from the package that we know of and mean to keep. A difference that none of these explains is a bug. */
import type { Known } from "../fuzz/known.ts"

export const known: ReadonlyArray<Known> = [
  {
    name: "no such filter or test",
    why: "Filters and tests are looked up when a template is saved, also where it would never call them.",
    explains: ({ ours }) => /^(filter|test) not found: /.test(ours.message ?? "")
  },
  {
    name: "computed test",
    why: "The package takes `x is odd ~ y` for `x is undefined`, because the part behind `is` has no name.",
    explains: ({ ours }) => ours.message === "the name of a test is expected"
  },
  {
    name: "dictsort of safe text",
    why: "The package sorts the fields and methods of its own class. Ours is refused.",
    explains: ({ ours }) => ours.message === "dictsort filter: val must be an object"
  },
  {
    name: "invalid JavaScript",
    why: 'The package pastes names and operators into JavaScript, which then cannot be parsed: `a"b`, `- -1`.',
    explains: ({ theirs, ours }) => ours.output !== undefined && /SyntaxError|ReferenceError/.test(theirs.message ?? "")
  },
  {
    name: "function as text",
    why: "The package prints a function's source. Ours prints [function].",
    explains: ({ theirs, ours }) => /function/i.test(theirs.output ?? "") && /\[function\]/i.test(ours.output ?? "")
  },
  {
    name: "name that is none",
    why: "The package takes whatever has a value or a name for a name, and pastes it into JavaScript: `{% macro m(not 9=1) %}`.",
    explains: ({ ours }) => /^the name of (a parameter|a variable|the macro) is expected$/.test(ours.message ?? "")
  }
]
