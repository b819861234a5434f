/** One transaction of very many rows. */
import { type Committed, nameIn, tag } from "./Committed.ts"
import { Draft } from "./Draft.ts"
import { Ledger } from "./Ledger.ts"
import type { Random } from "./Random.ts"
import type { World } from "./World.ts"

export const writeManyRows = async (
  world: World,
  committed: Committed,
  random: Random,
  rows: number
): Promise<"committed" | "aborted"> => {
  const ledger = new Ledger(world.databaseUrl)
  const label = nameIn(world.seed, `many.${random.between(0, 1e9)}`)
  const draft = new Draft(label, new Map(), random)
  draft.create(tag, label.replace(".", "-"), rows)
  const fate = await ledger.attempt(label, draft.statements)
  await ledger.close()
  const { changes, messages } = draft
  committed.add({ label, changes, messages, fate })
  return fate
}
