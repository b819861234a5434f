/** Postgres of the npm packages stops fast; FastStop.long.pg.redis.test.ts: Debian's. */
import { describe } from "vitest"
import { stopsFast } from "./FastStop.ts"

describe("the embedded Postgres stops fast", () => {
  stopsFast({})
})
