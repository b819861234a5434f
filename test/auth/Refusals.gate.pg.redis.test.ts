/** Failures of authentication on one route of each kind with a few methods, and missing credentials on every route. */
import { type Endpoint, expectRefusals } from "./Refusals.ts"

/** Routes that differ in their object type alone are of one kind. */
const kindOf = ({ path, type }: Endpoint): string =>
  type === undefined ? path : `${type.kind} ${path.replace(`/${type.app}/${type.plural}/`, "/<type>/")}`

expectRefusals({
  pick: (endpoints) => Array.from(Map.groupBy(endpoints, kindOf).values(), ([first]) => first!),
  methods: ["GET", "POST", "DELETE", "OPTIONS"],
  anonymous: ["GET"]
})
