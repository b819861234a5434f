/**
 * Values whose grammar another stage owns: a template, a condition, a retry schedule. The inventory checks them when
 * they are saved without knowing those stages; `main.ts` brings the two together.
 */
import { Context } from "effect"
import type { GrammarName } from "./Field.ts"

/** For each grammar: what is wrong with the value, or undefined where nothing is. */
export class Grammars extends Context.Service<
  Grammars,
  Readonly<Record<GrammarName, (value: unknown) => string | undefined>>
>()("rackwire/inventory/Grammars") {}
