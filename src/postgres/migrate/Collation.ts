/**
 * The collation of texts for people: `eth2` before `eth10`, `a` beside `A` and `ä`, and the case of all letters.
 *
 * Columns keep the collation of the database, which is faster where only equality counts; orders and searches name this
 * one. It is deterministic: equal texts are the same bytes.
 */
export const naturalOrder = "rackwire_natural"

/** Ways to make it, the best first: with ICU, with the letters alone from Postgres 17 on, and as the locale C. */
export const collationStatements: ReadonlyArray<string> = [
  `create collation ${naturalOrder} (provider = icu, locale = 'und-u-kn-true')`,
  `create collation ${naturalOrder} (provider = builtin, locale = 'C.UTF-8')`,
  `create collation ${naturalOrder} from "C"`
]
