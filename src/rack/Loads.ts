/** The loads of a rack: the power that its feeds supply and that is allocated, and its weight with everything in it. Pure. */
import { objectType } from "../inventory/Registry.ts"
import { type Bind, type Visible, visibleRows } from "../inventory/derive/filter/Where.ts"

/** Loads of a rack. */
export interface Loads {
  /** Volt-amperes that its power feeds may supply together; 0 without feeds. */
  readonly available: number
  /** Watts that the power ports on these feeds are allocated. */
  readonly allocated: number
  /** Grams. */
  readonly weight: number
}

/** Grams of a unit. */
const grams = { kg: 1000, g: 1, lb: 453.592, oz: 28.3495 }

/** SQL of the weight of a row in grams, null where it has none. */
const weightOf = (row: string): string => {
  const factors = Object.entries(grams).map(([unit, factor]) => `when '${unit}' then ${factor}`)
  return `${row}.weight * case ${row}.weight_unit ${factors.join(" ")} end`
}

/**
 * SQL of the loads of a rack, of what the reader may view. A power port that says nothing of its draw, such as the inlet of a
 * distribution unit, draws what the ports at its outlets are allocated. A port counts once, however many feeds its cable has.
 */
export const loadsSql = (rack: number, visible: Visible, bind: Bind): string => {
  const own = `${bind(`${rack}`)}::bigint`
  const seen = (id: string): string => visibleRows(objectType(id), visible, bind)
  return `
    with feed as (
      select f.cable_id,
             round(abs(f.voltage) * f.amperage * f.max_utilization / 100.0 * case f.phase when 'three-phase' then 1.732 else 1 end) as power
        from ${seen("dcim.powerfeed")} f where f.rack_id = ${own}),
    port as (
      select p.id, p.maximum_draw, p.allocated_draw from ${seen("dcim.powerport")} p
       where p.cable_id in (select cable_id from feed)),
    behind as (
      select distinct d.id, d.allocated_draw from port p
        join ${seen("dcim.poweroutlet")} o on o.power_port_id = p.id
        join ${seen("dcim.powerport")} d on d.cable_id = o.cable_id
       where p.maximum_draw is null and p.allocated_draw is null)
    select coalesce((select sum(power) from feed), 0)::float8 as available,
           (coalesce((select sum(allocated_draw) from port), 0) + coalesce((select sum(allocated_draw) from behind), 0))::float8 as allocated,
           (coalesce((select ${weightOf("r")} from ${seen("dcim.rack")} r where r.id = ${own}), 0)
             + coalesce((select sum(${weightOf("y")}) from ${seen("dcim.device")} d
                 join ${seen("dcim.devicetype")} y on y.id = d.device_type_id where d.rack_id = ${own}), 0)
             + coalesce((select sum(${weightOf("y")}) from ${seen("dcim.device")} d
                 join ${seen("dcim.module")} m on m.device_id = d.id
                 join ${seen("dcim.moduletype")} y on y.id = m.module_type_id where d.rack_id = ${own}), 0))::float8 as weight`
}

/** The part of the power that is planned for, in percent with one decimal place; undefined without power. */
export const powerUtilization = ({ available, allocated }: Loads): number | undefined =>
  available === 0 ? undefined : Math.round((allocated / available) * 1000) / 10

/** A weight in a unit, with at most two decimal places. */
export const weightIn = (unit: keyof typeof grams, { weight }: Loads): number =>
  Math.round((weight / grams[unit]) * 100) / 100
