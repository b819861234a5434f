/** The weight of racks, and of types of devices and modules. */
import type { Row } from "../Field.ts"
import { type RuleViolation, broken } from "../Rule.ts"
import { choice } from "../field/Choice.ts"
import { decimal } from "../field/Scalar.ts"

export const weightFields = () => ({
  weight: decimal({ digits: 8, places: 2, min: 0, optional: true }),
  weight_unit: choice({ kg: "Kilograms", g: "Grams", lb: "Pounds", oz: "Ounces" }, { optional: true })
})

interface Heavy extends Row {
  readonly weight: number | null
  readonly weight_unit: string | null
}

export function* weightRules(row: Heavy): Iterable<RuleViolation> {
  if (row.weight !== null && row.weight_unit === null) {
    yield broken(["weight", "weight_unit"], { __all__: ["Must specify a unit when setting a weight"] })
  }
}
