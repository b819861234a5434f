/** The rules of Power over Ethernet, for interfaces and for templates: an interface copies its template unchecked. */
import type { Row } from "../../Field.ts"
import { type RuleViolation, broken } from "../../Rule.ts"
import { withoutSocket } from "./InterfaceTypes.ts"

interface Powered extends Row {
  readonly type: string
  readonly poe_mode: string | null
  readonly poe_type: string | null
}

export function* poeRules({ type, poe_mode: mode, poe_type: poeType }: Powered): Iterable<RuleViolation> {
  if (mode !== null && Object.hasOwn(withoutSocket, type)) {
    yield broken(["type", "poe_mode"], { poe_mode: ["Virtual interfaces cannot have a PoE mode."] })
  }
  if (poeType !== null && mode === null) {
    yield broken(["poe_type", "poe_mode"], { poe_type: ["Must specify PoE mode when designating a PoE type."] })
  }
}
