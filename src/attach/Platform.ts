/** How settings and rights are changed, by the service that runs a Postgres. Pure. */
import { identifier } from "../move/source/Catalogue.ts"

/** `plain`: a server with a postgresql.conf of its own. */
export type Platform = "plain" | "rds" | "cloudsql" | "azure"

/** A change of the server: a sentence, and the statements that make it, where statements can. */
export interface Remedy {
  readonly sentence: string
  readonly sql: ReadonlyArray<string>
}

/** Roles that only the servers of a platform have. */
export const platformRoles: Readonly<Record<Exclude<Platform, "plain">, string>> = {
  rds: "rds_superuser",
  cloudsql: "cloudsqlsuperuser",
  azure: "azure_pg_admin"
}

const walLevels: Readonly<Record<Platform, Remedy>> = {
  plain: {
    sentence:
      "Run the statement, or write wal_level = logical into postgresql.conf, and restart Postgres. In a compose file: command: postgres -c wal_level=logical",
    sql: ["alter system set wal_level = 'logical';"]
  },
  rds: {
    sentence:
      "Set rds.logical_replication = 1 in the parameter group of the instance, on Aurora in that of the cluster, and reboot it.",
    sql: []
  },
  cloudsql: {
    sentence: "Set the flag cloudsql.logical_decoding = on of the instance, which restarts it.",
    sql: []
  },
  azure: {
    sentence: "Set the server parameter wal_level = LOGICAL, and restart the server.",
    sql: []
  }
}

export const walLevelRemedy = (platform: Platform): Remedy => walLevels[platform]

/** Places where parameters are set. */
const places: Readonly<Record<Exclude<Platform, "plain">, string>> = {
  rds: "in the parameter group",
  cloudsql: "as a flag of the instance",
  azure: "as a server parameter"
}

/** Raises a number among the settings that the server reads at its start. */
export const settingRemedy = (platform: Platform, name: string, value: number): Remedy =>
  platform === "plain"
    ? {
        sentence: `Run the statement, or write ${name} = ${value} into postgresql.conf, and restart Postgres.`,
        sql: [`alter system set ${name} = ${value};`]
      }
    : { sentence: `Set ${name} = ${value} ${places[platform]}, and restart the server.`, sql: [] }

/** Lets a role open replication connections. */
export const replicationGrant = (platform: Platform, role: string): string =>
  platform === "rds"
    ? `grant rds_replication to ${identifier(role)};`
    : `alter role ${identifier(role)} with replication;`

/** Takes that right from a role. */
export const replicationRevoke = (platform: Platform, role: string): string =>
  platform === "rds"
    ? `revoke rds_replication from ${identifier(role)};`
    : `alter role ${identifier(role)} with noreplication;`
