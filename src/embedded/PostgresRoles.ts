/**
 * The roles of the embedded cluster: a superuser that only we use, and the service's own role.
 *
 * Clusters of earlier versions had one role. It created the cluster, so it must stay a superuser: it is renamed, and a
 * new role with the old name gets all its objects. All statements run in Postgres' single-user mode, so there are no
 * other connections, and they can run again after an interruption.
 */
import { spawnSync } from "node:child_process"
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Program } from "./Child.ts"
import { EmbeddedError } from "./EmbeddedError.ts"

export const superuser = "rackwire_superuser"

/** A file in the cluster that marks its roles as set up; a cluster from a backup may lack it. */
const marker = "rackwire_roles"

interface Roles {
  readonly role: string
  readonly password: string
  readonly superuserPassword: string
  /** Whether the cluster lacks the service's database. */
  readonly isNew: boolean
}

/** Sets up the roles, if the cluster lacks them. `program` is the server that will serve the cluster. */
export const setUpRoles = (program: Program, roles: Roles): void => {
  const done = join(program.folder, marker)
  if (existsSync(done)) return
  const { role, isNew } = roles
  single(program, "postgres", [
    ...roleStatements(roles),
    isNew ? `create database ${role} owner ${role}` : `alter database ${role} owner to ${role}`
  ])
  if (!isNew) single(program, role, ownershipStatements(role))
  writeFileSync(done, "", { flag: "wx", mode: 0o600 })
}

/** Creates or changes both roles. A role cannot rename itself, so a temporary role does it. */
const roleStatements = ({ role, password, superuserPassword }: Roles): ReadonlyArray<string> => [
  `do $$ begin
     if exists (select from pg_roles where oid = ${bootstrapOid} and rolname = '${role}') then
       if not exists (select from pg_roles where rolname = '${helper}') then create role ${helper} superuser; end if;
       set session authorization ${helper};
       alter role ${role} rename to ${superuser};
     end if;
     if not exists (select from pg_roles where rolname = '${role}') then create role ${role}; end if;
   end $$`,
  `set session authorization ${superuser}`,
  `drop role if exists ${helper}`,
  `alter role ${superuser} password '${superuserPassword}'`,
  `alter role ${role} login replication nosuperuser password '${password}'`
]

/** The role that initdb creates; Postgres does not let it lose its superuser rights. */
const bootstrapOid = 10

const helper = "rackwire_renames"

/** Transfers the superuser's objects to the role, except those of extensions. */
const ownershipStatements = (role: string): ReadonlyArray<string> =>
  [
    // Sequences of columns change owner with their tables.
    `select format('alter table %s owner to ${role}', oid::regclass) as change from pg_class c
      where relowner = ${bootstrapOid} and relkind in ('r', 'p', 'v', 'm', 'S', 'f') and relpersistence <> 't'
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid
                           and deptype in ('a', 'i') and relkind = 'S')`,
    `select format('alter routine %s owner to ${role}', oid::regprocedure) as change from pg_proc
      where proowner = ${bootstrapOid}`,
    `select format('alter type %s owner to ${role}', oid::regtype) as change from pg_type
      where typowner = ${bootstrapOid} and typtype in ('e', 'd')`,
    `select format('alter schema %I owner to ${role}', nspname) as change from pg_namespace
      where nspowner = ${bootstrapOid} and nspname <> 'public'`,
    `select format('alter publication %I owner to ${role}', pubname) as change from pg_publication
      where pubowner = ${bootstrapOid} and not puballtables`
  ].map((found) => changeEach(found))

/** Objects with a smaller oid belong to Postgres itself. */
const firstOwnOid = 16_384

const changeEach = (found: string): string => {
  const alias = /from pg_class c/.test(found) ? "c.oid" : "oid"
  const ours = `${found} and ${alias} >= ${firstOwnOid}
    and ${alias} not in (select objid from pg_depend where deptype = 'e')`
  return `do $$ declare change text; begin for change in ${ours} loop execute change; end loop; end $$`
}

/** Runs statements in a database of the cluster while no server serves it; fails at the first that fails. */
const single = (program: Program, database: string, statements: ReadonlyArray<string>): void => {
  // One statement a line. With the server's settings, because Postgres does not start below the WAL level of a slot.
  const input = statements.map((statement) => `${statement.replaceAll(/\s*\n\s*/g, " ")};\n`).join("")
  runOnce(program, program.command, ["--single", ...program.args, "-c", "exit_on_error=on", database], input)
}

/** Runs a program of the cluster to its end, with the user and folder of the server; returns what it printed. */
export const runOnce = (program: Program, command: string, args: ReadonlyArray<string>, input = ""): string => {
  const { folder, env, user } = program
  const opened = openSync(folder, "r")
  const stdio = ["pipe", "pipe", "pipe", opened] as const
  const result = spawnSync(command, args, { cwd: folder, env, ...user, input, encoding: "utf8", stdio: [...stdio] })
  closeSync(opened)
  if (result.status === 0) return result.stdout
  throw new EmbeddedError({
    reason: "StartFailed",
    message: `Postgres: ${command} failed: ${result.error?.message ?? result.stderr.trim()}`
  })
}
