/** A database of a NetBox of some release, on any Postgres. */
import { randomBytes } from "node:crypto"
import { type Sql, databaseAt, openSql } from "../support/Sql.ts"
import { type Release, changeTableOf, userTableOf } from "./NetBoxModels.ts"
import { schemaOf } from "./NetBoxTables.ts"

export interface NetBoxDatabase {
  readonly release: Release
  /** The address for the owner of its tables. */
  readonly databaseUrl: string
  readonly name: string
  readonly changeTable: string
  readonly sql: Sql
  /** Ids of content types by `app_label.model`. */
  readonly types: ReadonlyMap<string, number>
  /** Ids of users by their names. */
  readonly users: ReadonlyMap<string, number>
  /** Drops the slots of the database, and the database. */
  readonly drop: () => Promise<void>
}

/** The first version that can copy the files of a template. */
const fileCopyVersion = 150_000

/** Makes one. `serverUrl`: a role that may create databases, and that will own the tables. */
export const makeNetBox = async (release: Release, serverUrl: string): Promise<NetBoxDatabase> => {
  const name = `netbox_${randomBytes(6).toString("hex")}`
  const server = openSql(databaseAt(serverUrl, "postgres"))
  const [{ version }] = (await server.query("select current_setting('server_version_num')::int as version")) as [
    { readonly version: number }
  ]
  // Copying files takes half of the time of writing every page to the log.
  await server.query(`create database ${name}${version >= fileCopyVersion ? " strategy file_copy" : ""}`)
  const databaseUrl = databaseAt(serverUrl, name)
  const sql = openSql(databaseUrl)
  await sql.transaction(...schemaOf(release))
  const types = await sql.query<{ readonly type: string; readonly id: number }>(
    "select app_label || '.' || model as type, id from django_content_type"
  )
  const users = await sql.query<{ readonly username: string; readonly id: number }>(
    `select username, id from ${userTableOf(release)}`
  )
  return {
    release,
    databaseUrl,
    name,
    changeTable: changeTableOf(release),
    sql,
    types: new Map(types.map(({ type, id }) => [type, id])),
    users: new Map(users.map(({ username, id }) => [username, id])),
    drop: async () => {
      await sql.close()
      await server.query(
        "select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where database = $1 and not active",
        [name]
      )
      await server.query(`drop database ${name} with (force)`)
      await server.close()
    }
  }
}
