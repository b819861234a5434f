/** Debian's Postgres, an older version than that of the npm packages, stops fast. */
import { globSync } from "node:fs"
import { dirname } from "node:path"
import { describe } from "vitest"
import { needs } from "../support/Ledger.ts"
import { stopsFast } from "./FastStop.ts"

const [debian] = globSync("/usr/lib/postgresql/*/bin/postgres")
const hasDebian = needs("Debian's Postgres", debian !== undefined, "apt-get install postgresql")

describe.runIf(hasDebian)("Debian's Postgres stops fast", () => {
  stopsFast({ POSTGRES_BIN: dirname(debian ?? "/") })
})
