/** Goal: the first fault of a server is named with the option to change, with and without a pooler. */
import { expect, it } from "vitest"
import { type ServerFacts, serverProblem } from "../../src/postgres/connect/ServerFacts.ts"
import { statementMillis } from "../../src/postgres/Postgres.ts"

const sound: ServerFacts = { encoding: "UTF8", statementMillis, identity: "2026-11-27 16384" }
const [none, same] = [undefined, { ...sound }]

it.each([
  [{}, none, /^fit$/],
  [{}, same, /^fit$/],
  [{ encoding: "LATIN1" }, none, /^DATABASE_URL: the database is encoded in LATIN1/],
  [{ encoding: "SQL_ASCII" }, same, /^DATABASE_DIRECT_URL: the database is encoded in SQL_ASCII/],
  [{ statementMillis: 0 }, none, /^DATABASE_URL: a pooler answers .* Set DATABASE_DIRECT_URL/],
  [{ statementMillis: 0 }, same, /^DATABASE_DIRECT_URL: a pooler answers .* It must be the address of the Postgres/],
  [{}, { ...sound, identity: "2026-11-27 16385" }, /^DATABASE_DIRECT_URL: it leads to another database/]
])("a server that differs by %j, behind %j", (fault, pooled, problem) => {
  expect(serverProblem({ ...sound, ...fault }, pooled) ?? "fit").toMatch(problem)
})
