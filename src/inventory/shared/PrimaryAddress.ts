/**
 * The primary addresses of a device, a context of one, or a virtual machine. Each must be assigned to one of its
 * interfaces, or translated (`nat_inside`) to one that is. The interfaces of a device in a virtual chassis are those of
 * all members, but for interfaces that are for management only.
 */
import { flagged } from "../Asked.ts"
import type { DerivedValue } from "../Derived.ts"
import type { Field, Row, View } from "../Field.ts"
import type { Bond, OtherSide } from "../Rule.ts"
import { ref } from "../field/Reference.ts"

interface Machine {
  /** The object type of the machine and of its interfaces. */
  readonly type: string
  readonly interfaces: string
  /** SQL over `j`, the machine, and `f`, an interface: whether it is one of the machine's; by fields of the machine. */
  readonly owns: string
  readonly by?: ReadonlyArray<string>
  /** The machine's word in messages. */
  readonly called: string
  /** SQL over `j`, the machine, and `f`, an interface of another one: whether it serves both. */
  readonly shares?: string
  readonly otherFamily: (address: string, family: number) => string
  readonly unassigned?: (address: string) => string
  /** Further changes that can part a machine from its address: of a field of these objects. */
  readonly moves: ReadonlyArray<Pick<OtherSide, "type" | "field" | "when"> & { readonly reaches: (ids: Ids) => string }>
}

/** Makes SQL for the addresses that are assigned to interfaces `f`, or translated to one that is. */
type Ids = (interfaces: string) => string

interface Primary extends Row {
  readonly primary_ip4: number | null
  readonly primary_ip6: number | null
}

const families = [4, 6] as const

const addressField = (): Field<number | null> => ref("ipam.ipaddress", { optional: true, onDelete: "set null" })

const nameOf = (family: 4 | 6) => `primary_ip${family}` as const

export const primaryAddresses = (machine: Machine) => ({
  fields: { primary_ip4: addressField(), primary_ip6: addressField() },
  derived: {
    primary_ip: {
      shape: { kind: "object", type: "ipam.ipaddress", nullable: true },
      of: (row: Primary, view: View) => {
        const id = row.primary_ip6 ?? row.primary_ip4
        return id === null ? null : view.nested("ipam.ipaddress", id)
      }
    } satisfies DerivedValue<Primary>
  },
  asked: { has_primary_ip: flagged("t.primary_ip4_id is not null or t.primary_ip6_id is not null") },
  looksAt: families.map(nameOf),
  bonds: families.flatMap((family) => [bond(machine, family), single(machine, family)])
})

/** An address is the primary one of one machine. No constraint, which rows of earlier versions may break. */
const single = ({ type, called }: Machine, family: 4 | 6): Bond<Primary> => {
  const name = nameOf(family)
  return {
    name: `${name}_single`,
    fields: [name],
    distinct: [name],
    applies: `new.${name}_id is not null`,
    lock: `select from ipam_ipaddress where id = new.${name}_id for no key update`,
    broken: `exists (select from ${type.replace(".", "_")} t where t.id <> j.id and t.${name}_id = j.${name}_id)`,
    rule: `The primary IPv${family} address is that of one ${called}.`,
    errors: () => ({ [name]: [`${called} with this Primary IPv${family} already exists.`] }),
    others: []
  }
}

const bond = (
  { type, interfaces, owns, by = [], called, shares, otherFamily, unassigned, moves }: Machine,
  family: 4 | 6
): Bond<Primary> => {
  const name = nameOf(family)
  const column = `${name}_id`
  const assigned = (alias: string) =>
    `case when ${alias}.assigned_object_type = '${interfaces}' then ${alias}.assigned_object_id end`
  const addressesOf: Ids = (where) => `(select a.id from ipam_ipaddress a
    left join ipam_ipaddress i on i.id = a.nat_inside_id
    join ${interfaces.replace(".", "_")} f on f.id in (${assigned("a")}, ${assigned("i")}) where ${where})`
  const common = { repair: `${column} = null` }
  const named = `${type} #%s`
  return {
    name,
    fields: [name, ...by],
    applies: `new.${column} is not null`,
    lock: `select from ipam_ipaddress a where a.id = new.${column}
      or a.id = (select nat_inside_id from ipam_ipaddress where id = new.${column}) for share`,
    broken: `j.${column} is not null and not exists (select from ipam_ipaddress a
      left join ipam_ipaddress i on i.id = a.nat_inside_id
      join ${interfaces.replace(".", "_")} f on f.id in (${assigned("a")}, ${assigned("i")})
      where a.id = j.${column} and family(a.address) = ${family}
        and (${owns}${shares === undefined ? "" : ` or ${shares}`}))`,
    rule: `The primary IPv${family} address is assigned to an interface of the machine.`,
    errors: (row, find) => {
      const shown = String(find("ipam.ipaddress", row[name])?.["address"])
      return shown.includes(":") === (family === 6)
        ? { [name]: [unassigned?.(shown) ?? `The specified IP address (${shown}) is not assigned to this ${called}.`] }
        : { [name]: [otherFamily(shown, family)] }
    },
    others: [
      {
        ...common,
        type: "ipam.ipaddress",
        fields: ["assigned_object_type", "assigned_object_id", "nat_inside"],
        reaches: `j.${column} in (select new.id union all select a.id from ipam_ipaddress a where a.nat_inside_id = new.id)`,
        field: "assigned_object_id",
        message: `format('IP address is primary for ${called} ${named} but not assigned to it!', j.id)`
      },
      {
        ...common,
        type: "ipam.ipaddress",
        fields: ["address"],
        when: "family(new.address) <> family(old.address)",
        reaches: `j.${column} = new.id`,
        field: "address",
        message: `format('It is the primary IPv${family} address of ${called} ${named}.', j.id)`
      },
      ...moves.map(({ type, field, when, reaches }) => ({
        ...common,
        type,
        field,
        ...(when !== undefined && { when }),
        fields: [field],
        reaches: reaches((where) => `j.${column} in ${addressesOf(where)}`),
        message: `format('The primary IPv${family} address of ${called} ${named} would be on none of its interfaces.', j.id)`
      }))
    ]
  }
}
