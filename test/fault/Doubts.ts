/** Requests without an answer: the tables tell whether they were committed. */
import type { Sql } from "../support/Sql.ts"
import { type Transaction, kinds, stamp } from "./Committed.ts"

/**
 * The transactions with every fate decided, as the tables are now. Nobody touches an object again whose request is in
 * doubt, so it is as that request left it, or as it was before.
 */
export const settleDoubts = async (
  sql: Sql,
  transactions: ReadonlyArray<Transaction>
): Promise<ReadonlyArray<Transaction>> => {
  const doubted = transactions.filter(({ fate }) => fate === "doubted")
  const descriptions = new Map<string, string>()
  for (const { id, table, key } of kinds) {
    const keys = doubted.flatMap(({ changes }) => changes.filter(({ kind }) => kind.id === id).map(({ key }) => key))
    if (keys.length === 0) continue
    const rows = await sql.query<{ readonly key: string; readonly description: string }>(
      `select ${key} as key, description from ${table} where ${key} = any($1::text[])`,
      [keys]
    )
    for (const row of rows) descriptions.set(`${id} ${row.key}`, row.description)
  }
  return transactions.map((transaction) => {
    if (transaction.fate !== "doubted") return transaction
    const done = transaction.changes.every(({ kind, key, to }) => {
      const found = descriptions.get(`${kind.id} ${key}`)
      return to === undefined ? found === undefined : found === stamp(to, transaction.label)
    })
    return { ...transaction, fate: done ? "committed" : "aborted" }
  })
}
