/**
 * Templates that mean harm. Each must end in harmless output or a typed fault, within its budget, and leave nothing
 * behind. The first of each group broke stock nunjucks; the others were aimed at this engine.
 */
import { escapes, injections } from "./escapes.ts"
import { parsing } from "./parsing.ts"
import { work } from "./work.ts"

export type Attack = readonly [name: string, template: string]

/** The context that the attacks see. */
export const context =
  '{"name":"web01","n":5,"xs":[3,1,2],"d":{"a":1},"s":"Hello","o":{"f":1},"__proto__":{"PWN":1},"constructor":7}'

/** By what they aim at. */
export const attacks = { escapes, injections, work, parsing } as const
