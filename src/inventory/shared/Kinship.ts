/** References of an interface to others that it belongs to: of the same machine, or of one that shares them. */
import { type Bond, type RuleViolation, type OtherSide, broken } from "../Rule.ts"
import type { Row } from "../Field.ts"

interface Kin {
  /** The object type of the interfaces, and the references. */
  readonly type: string
  readonly names: ReadonlyArray<string>
  /** The reference to the machine, its object type, and its word in messages. */
  readonly owner: string
  readonly machine: string
  readonly called: string
  /** SQL over `a` and `b`, two machines: whether interfaces of them may belong to each other. */
  readonly shares?: string
  /** The reference of a machine to the group of machines that `shares` compares, its object type, and its word. */
  readonly group?: { readonly field: string; readonly type: string; readonly called: string }
  /** The change of a machine that can part them. */
  readonly parts?: Pick<OtherSide, "fields" | "field">
  /** Whether interfaces can get another machine. */
  readonly movable: boolean
}

const tableOf = (type: string): string => type.replace(".", "_")

/** Names of references in messages, where they are others. */
const words: Readonly<Record<string, string>> = { lag: "LAG" }

export const kinship = ({ type, names, owner, machine, called, shares, group, parts, movable }: Kin) => {
  const table = tableOf(type)
  const machines = tableOf(machine)
  const bond = (name: string): Bond => {
    const column = `${name}_id`
    const moved: OtherSide = {
      type,
      fields: [owner],
      reaches: `j.${column} = new.id`,
      field: owner,
      message: `format('It is the ${name} of interface ${type} #%s.', j.id)`
    }
    const parted = (fields: NonNullable<typeof parts>): OtherSide => ({
      ...fields,
      type: machine,
      reaches: `j.${owner}_id = new.id or j.${column} in (select i.id from ${table} i where i.${owner}_id = new.id)`,
      message: `format('Interface ${type} #%s and its ${name} would be of different ${called}s.', j.id)`
    })
    return {
      name,
      fields: [name, owner],
      applies: `new.${column} is not null`,
      lock: `select from ${machines} where id in (select ${owner}_id from ${table} where id in (new.id, new.${column})) for share`,
      broken: `exists (select from ${table} k, ${machines} a, ${machines} b
        where k.id = j.${column} and a.id = j.${owner}_id and b.id = k.${owner}_id and a.id <> b.id
          ${shares === undefined ? "" : `and (${shares}) is not true`})`,
      rule: `The ${name} of an interface is one of the same ${called}.`,
      errors: (row, find) => {
        const other = find(type, row[name] as number)
        const there = find(machine, (other?.[owner] ?? null) as number | null)
        const shown = `The selected ${words[name] ?? name} interface (${String(other?.["name"])}) belongs to`
        const own = group && (find(machine, row[owner] as number)?.[group.field] as number | null | undefined)
        if (group !== undefined && typeof own === "number") {
          const whole = `${group.called} ${String(find(group.type, own)?.["name"])}`
          return { [name]: [`${shown} ${String(there?.["name"])}, which is not part of ${whole}.`] }
        }
        const of = group === undefined ? "" : ` (${String(there?.["name"])})`
        return { [name]: [`${shown} a different ${called}${of}.`] }
      },
      others: [...(movable ? [moved] : []), ...(parts === undefined ? [] : [parted(parts)])]
    }
  }
  return {
    bonds: names.map(bond),
    looksAt: [...names.map((name) => `${name}.${owner}`), ...(group === undefined ? [] : [`${owner}.${group.field}`])],
    *rules(row: Row): Iterable<RuleViolation> {
      for (const name of names) {
        if (row[name] === row.id) yield broken([name], { [name]: [`An interface cannot be its own ${name}.`] })
      }
    }
  }
}
