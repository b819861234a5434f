/** Every failure of authentication on one route of each kind, and missing credentials on every route with two methods. */
import { type Endpoint, expectRefusals } from "./Refusals.ts"

/** Routes that differ in their object type alone are of one kind. */
const kindOf = ({ path, type }: Endpoint): string =>
  type === undefined ? path : `${type.kind} ${path.replace(`/${type.app}/${type.plural}/`, "/<type>/")}`

expectRefusals({
  pick: (endpoints) => Array.from(Map.groupBy(endpoints, kindOf).values(), ([first]) => first!),
  anonymous: ["GET", "POST"]
})
