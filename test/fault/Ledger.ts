/**
 * Transactions in plain SQL whose outcome is always known: each writes its label into a table along with its changes.
 */
import { type Sql, openSql } from "../support/Sql.ts"
import { pause } from "./Timeline.ts"

/** Pause between two questions to a server that is down. */
const askMillis = 50

/** How a rolled-back transaction ends. */
const refusal = "select 1/0"

export class Ledger {
  /** Errors by their text, with how often they came. */
  readonly errors = new Map<string, number>()
  private sql: Sql

  constructor(url: string) {
    this.sql = openSql(url)
  }

  /** Runs the statements as one transaction; returns its outcome, also if the server died during the commit. */
  async attempt(label: string, statements: ReadonlyArray<string>): Promise<"committed" | "aborted"> {
    try {
      await this.sql.transaction(...statements, `insert into fault_ledger values ('${label}')`)
      return "committed"
    } catch (error) {
      const { message } = error as Error
      this.errors.set(message, (this.errors.get(message) ?? 0) + 1)
      return (await this.has(label)) ? "committed" : "aborted"
    }
  }

  /** Runs the statements and rolls them back. */
  async refuse(statements: ReadonlyArray<string>): Promise<void> {
    await this.sql.transaction(...statements, refusal).catch(() => {})
  }

  close(): Promise<void> {
    return this.sql.close()
  }

  private async has(label: string): Promise<boolean> {
    for (;;) {
      try {
        return (await this.sql.query("select 1 as one from fault_ledger where label = $1", [label])).length > 0
      } catch {
        await pause(askMillis)
      }
    }
  }
}
