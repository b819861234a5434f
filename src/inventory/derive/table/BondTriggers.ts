/** Declaration -> the triggers that hold bonds from both sides, and their functions. Pure. */
import { literal } from "../../../postgres/Literal.ts"
import { type ObjectType, columnOf, fieldOf } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { type Bond, type OtherSide, bondState } from "../../Rule.ts"
import { storedName } from "./StoredName.ts"
import type { Definition } from "../../../postgres/migrate/Table.ts"

/** The functions of the triggers. */
export const bondFunctions = (type: ObjectType): ReadonlyArray<string> =>
  type.bonds.flatMap((bond) => [
    ownFunction(type, bond),
    ...bond.others.map((other, at) => otherFunction(type, bond, other, at))
  ])

export const bondTriggers = (type: ObjectType): ReadonlyArray<Definition> =>
  type.bonds.flatMap((bond) => {
    const call = `execute function ${functionName(type, bond)}()`
    const { update, differs } = changed(type, bond.fields)
    const name = (event: string) => storedName([type.table, bond.name, event], "bond")
    return [
      ...(bond.sparesNew === true
        ? []
        : [
            {
              name: name("insert"),
              sql: `after insert on ${type.table} for each row when (${bond.applies}) ${call}`
            }
          ]),
      {
        name: name("update"),
        sql: `after update of ${update} on ${type.table} for each row when (${bond.applies} and ${differs}) ${call}`
      },
      ...bond.others.map((other, at) => otherTrigger(type, bond, other, at))
    ]
  })

const otherTrigger = (type: ObjectType, bond: Bond, other: OtherSide, at: number): Definition => {
  const target = objectType(other.type)
  const { update, differs } = changed(target, other.fields)
  const when = other.when === undefined ? "" : ` and ${other.when}`
  const call = `execute function ${functionName(type, bond, at)}()`
  return {
    name: storedName([target.table, type.table, bond.name, `${at}`], "bond"),
    sql: `after update of ${update} on ${target.table} for each row when (${differs}${when}) ${call}`
  }
}

const changed = (type: ObjectType, fields: ReadonlyArray<string>) => {
  const columns = fields.map((field) => columnOf(type, field))
  const row = (alias: string) => `(${columns.map((column) => `${alias}.${column}`).join(", ")})`
  return { update: columns.join(", "), differs: `${row("old")} is distinct from ${row("new")}` }
}

const functionName = (type: ObjectType, bond: Bond, other?: number): string =>
  storedName(["rackwire", type.table, bond.name, ...(other === undefined ? [] : [`${other}`])], "bond")

/** The name by which errors of Postgres identify a bond. */
export const constraintName = (type: ObjectType, bond: Bond): string => storedName([type.table, bond.name], "bond")

const ownFunction = (type: ObjectType, bond: Bond): string => `
  create or replace function ${functionName(type, bond)}() returns trigger language plpgsql as $$
  begin
    ${bond.lock === undefined ? "" : `${bond.lock.replace(/^select/, "perform")};`}
    if exists (select from ${type.table} j where j.id = new.id and ${bond.broken}) then
      raise exception '%', ${literal(bond.rule)} using errcode = 'check_violation', table = '${type.table}',
        constraint = '${constraintName(type, bond)}', detail = format('${type.id} #%s breaks it.', new.id);
    end if;
    return null;
  end $$`

const otherFunction = (type: ObjectType, bond: Bond, other: OtherSide, at: number): string => {
  const broken = `(${other.reaches}) and ${bond.broken}`
  const repair = `
    if ${goneTargets(other)} then
      update ${type.table} j set ${other.repair} where ${broken};
      return null;
    end if;`
  return `
  create or replace function ${functionName(type, bond, at)}() returns trigger language plpgsql as $$
  declare
    problem text;
  begin${other.repair === undefined ? "" : repair}
    select ${other.message} into problem from ${type.table} j where ${broken} order by j.id limit 1;
    if found then
      raise exception '%', problem using errcode = '${bondState}', table = '${objectType(other.type).table}',
        column = '${other.field}', constraint = '${constraintName(type, bond)}',
        detail = format('${other.type} #%s cannot change so.', new.id);
    end if;
    return null;
  end $$`
}

/** SQL over `old`: whether the row changed because what it referred to has been deleted. */
const goneTargets = ({ type, fields }: OtherSide): string => {
  const target = objectType(type)
  const gone = fields.flatMap((name) => {
    const { reference } = fieldOf(target, name)
    if (reference === undefined) return []
    const column = `old.${columnOf(target, name)}`
    return [
      `${column} is not null and not exists (select from ${objectType(reference.type).table} where id = ${column})`
    ]
  })
  return gone.length === 0 ? "false" : gone.join(" or ")
}
