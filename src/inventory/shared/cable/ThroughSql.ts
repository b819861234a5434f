/** Functions and triggers that keep paths when front and rear ports are made, deleted or changed. */
import { byHash, byIndex } from "./CableSql.ts"
import { across } from "./PathSql.ts"

/** SQL of the starts across the cables of `near`: ports with `kind`, `id`, `cable_id` and `stack`. */
export const beyond = (near: string): string => `
  select far.kind, far.id, near.stack from (${near}) near join dcim_cable c on c.id = near.cable_id cross join lateral ${across} far`

export const startsFrom = (starts: string): string =>
  `(select jsonb_agg(distinct jsonb_build_object('kind', s.kind, 'id', s.id, 'stack', to_jsonb(s.stack))) from (${starts}) s)`

/**
 * Retraces the paths that may lead over these places of rear ports. The lock keeps a cable from being connected to a rear
 * port until the front port is there for all, so one of the two transactions sees both.
 */
const retraceFronts = `
  create or replace function rackwire_retrace_fronts(ports jsonb) returns void language plpgsql ${byIndex} as $$
  declare
    starts jsonb;
  begin
    perform from dcim_rearport r where r.id in (select p.rear from jsonb_to_recordset(ports) as p(rear bigint)) order by r.id for share;
    starts := ${startsFrom(`
      ${beyond(`select 'dcim.rearport' as kind, r.id, r.cable_id, case when r.positions > 1 then array[p.place] else '{}' end as stack
        from jsonb_to_recordset(ports) as p(rear bigint, place bigint) join dcim_rearport r on r.id = p.rear`)}
      union ${beyond(`select 'dcim.frontport' as kind, f.id, f.cable_id, '{}'::bigint[] as stack
        from jsonb_to_recordset(ports) as p(id bigint) join dcim_frontport f on f.id = p.id`)}`)};
    if starts is not null then perform rackwire_retrace(starts); end if;
  end $$`

/** Front ports that are made, deleted or get another place at their rear port. */
const fronts = `
  create or replace function rackwire_front_ports() returns trigger language plpgsql ${byHash} as $$
  declare
    ports jsonb;
  begin
    if tg_op = 'INSERT' then
      select jsonb_agg(jsonb_build_object('id', id, 'rear', rear_port_id, 'place', rear_port_position)) into ports from made;
    elsif tg_op = 'DELETE' then
      select jsonb_agg(jsonb_build_object('id', id, 'rear', rear_port_id, 'place', rear_port_position)) into ports from earlier;
    else
      select jsonb_agg(jsonb_build_object('id', p.id, 'rear', p.rear_port_id, 'place', p.rear_port_position)) into ports
        from earlier o join made n on n.id = o.id and (n.rear_port_id, n.rear_port_position) is distinct from (o.rear_port_id, o.rear_port_position)
        cross join lateral (values (o.id, o.rear_port_id, o.rear_port_position), (n.id, n.rear_port_id, n.rear_port_position))
          p(id, rear_port_id, rear_port_position);
    end if;
    if ports is not null then perform rackwire_retrace_fronts(ports); end if;
    return null;
  end $$`

const retraceRears = `
  create or replace function rackwire_retrace_rears(changed bigint[]) returns void language plpgsql ${byIndex} as $$
  declare
    starts jsonb := ${startsFrom(`
      ${beyond("select 'dcim.rearport' as kind, r.id, r.cable_id, '{}'::bigint[] as stack from dcim_rearport r where r.id = any (changed)")}
      union ${beyond("select 'dcim.frontport' as kind, f.id, f.cable_id, '{}'::bigint[] as stack from dcim_frontport f where f.rear_port_id = any (changed)")}`)};
  begin
    if starts is not null then perform rackwire_retrace(starts); end if;
  end $$`

/** Rear ports whose number of positions becomes one, or more than one. */
const rears = `
  create or replace function rackwire_rear_ports() returns trigger language plpgsql ${byHash} as $$
  declare
    changed bigint[] := array(select n.id from earlier o join made n on n.id = o.id where (o.positions > 1) <> (n.positions > 1));
  begin
    if changed <> '{}' then perform rackwire_retrace_rears(changed); end if;
    return null;
  end $$`

export const throughFunctions: ReadonlyArray<string> = [retraceFronts, fronts, retraceRears, rears]

/** Triggers of the ports that paths lead through. */
export const throughTriggers: ReadonlyArray<{ readonly name: string; readonly sql: string }> = [
  {
    name: "dcim_frontport_insert",
    sql: "after insert on dcim_frontport referencing new table as made for each statement execute function rackwire_front_ports()"
  },
  {
    name: "dcim_frontport_delete",
    sql: "after delete on dcim_frontport referencing old table as earlier for each statement execute function rackwire_front_ports()"
  },
  {
    name: "dcim_frontport_move",
    sql: "after update on dcim_frontport referencing old table as earlier new table as made for each statement execute function rackwire_front_ports()"
  },
  {
    name: "dcim_rearport_resize",
    sql: "after update on dcim_rearport referencing old table as earlier new table as made for each statement execute function rackwire_rear_ports()"
  }
]
