/**
 * Values whose grammar another stage owns: a template, a condition, a retry schedule. The inventory checks them when
 * they are saved without knowing those stages; `main.ts` brings the two together.
 */
import { Context } from "effect"
import type { GrammarName } from "./Field.ts"

/** What is wrong with a value, or undefined where nothing is. `row` is the whole object as it would be written. */
export type Grammar = (value: unknown, row: Readonly<Record<string, unknown>>) => string | undefined

export class Grammars extends Context.Service<Grammars, Readonly<Record<GrammarName, Grammar>>>()(
  "rackwire/inventory/Grammars"
) {}
