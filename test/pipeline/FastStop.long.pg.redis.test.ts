/** Postgres of the npm packages stops fast, and that of Debian, which is an older version. */
import { globSync } from "node:fs"
import { dirname } from "node:path"
import { describe } from "vitest"
import { needs } from "../support/Ledger.ts"
import { stopsFast } from "./FastStop.ts"

const [debian] = globSync("/usr/lib/postgresql/*/bin/postgres")
const hasDebian = needs("Debian's Postgres", debian !== undefined, "apt-get install postgresql")

describe("the embedded Postgres stops fast", () => {
  stopsFast({})
})

describe.runIf(hasDebian)("Debian's Postgres stops fast", () => {
  stopsFast({ POSTGRES_BIN: dirname(debian ?? "/") })
})
