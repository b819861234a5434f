/** All attacks on Nunjucks by group, and the largest templates that it reads. */
import { limits } from "../../../src/jinja/runtime/Limits.ts"
import { type Attack, attacks } from "./attacks.ts"
import { liquidAttacks } from "./liquid.ts"
import { nunjucksAttacks } from "./nunjucks.ts"

export const onNunjucks: Readonly<Record<string, ReadonlyArray<Attack>>> = {
  "what the package falls to": nunjucksAttacks.calls,
  "properties of prototypes": nunjucksAttacks.reads,
  "work without end": nunjucksAttacks.work,
  "the attacks on Jinja": Object.values(attacks).flat(),
  "the attacks on Liquid": liquidAttacks.map((source) => [source, source] as const)
}

/** The largest template that is allowed, of one piece again and again. */
const filled = (start: string, piece: string, end: string): string =>
  start + piece.repeat(Math.floor((limits.sourceChars - start.length - end.length) / piece.length)) + end

export const largest: ReadonlyArray<Attack> = [
  ["outputs", filled("", "{{a}}", "")],
  ["filters", filled("{{ 1", "|e", " }}")],
  ["lists", filled("{{ [", "1,", "1] }}")],
  ["objects", filled("{{ {", "a:1,", "a:1} }}")],
  ["signs", filled("{{ [", "-1,", "1] }}")],
  ["parentheses", filled("{{ ", "(", "")],
  ["brackets", filled("{{ ", "[{a:", "")],
  ["negations", filled("{{ ", "not ", "1 }}")],
  ["conditions", filled("", "{% if a %}", "")],
  ["elif", filled("{% if a %}", "{% elif a %}", "{% endif %}")],
  ["white space before a tag", filled("x", " ", "x{%- if 1 %}{% endif %}")],
  ["raw without an end", filled("{% raw %}", "{%  raw", "")],
  ["comments", filled("", "{##}", "")],
  ["a comment without an end", filled("{#", "#", "")],
  ["a pattern", filled("{{ r/", "(a|", "/ }}")],
  ["text", filled("", "x", "")]
]
