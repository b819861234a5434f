/** Functions and triggers that keep circuits, and the paths through them, when terminations are made, deleted or changed. */
import { beyond, startsFrom } from "./ThroughSql.ts"

const places =
  "(n.circuit_id, n.term_side, n.provider_network_id) is distinct from (o.circuit_id, o.term_side, o.provider_network_id)"

/** SQL of the circuits whose terminations a statement made, deleted, or changed in a way that paths depend on. */
const circuitsOf = `
    if tg_op = 'INSERT' then
      select array_agg(distinct circuit_id) into circuits from made;
    elsif tg_op = 'DELETE' then
      select array_agg(distinct circuit_id) into circuits from was;
    else
      select array_agg(distinct c.id) into circuits from was o join made n on n.id = o.id and ${places}
        cross join lateral (values (o.circuit_id), (n.circuit_id)) c(id);
    end if;
    if circuits is null then return null; end if;`

/** A circuit names its terminations. Deleted ones are taken from it by their foreign keys. */
const name = `
  create or replace function rackwire_name_terminations() returns trigger language plpgsql as $$
  declare
    circuits bigint[];
  begin${circuitsOf}
    update circuits_circuit c set (termination_a_id, termination_z_id) = (s.a, s.z)
      from (select x.id, max(t.id) filter (where t.term_side = 'A') as a, max(t.id) filter (where t.term_side = 'Z') as z
              from unnest(circuits) x(id) left join circuits_circuittermination t on t.circuit_id = x.id group by x.id) s
     where c.id = s.id and (c.termination_a_id, c.termination_z_id) is distinct from (s.a, s.z);
    return null;
  end $$`

/** Traces the paths again that lead to the circuits. */
const retrace = `
  create or replace function rackwire_circuits() returns trigger language plpgsql as $$
  declare
    circuits bigint[];
    starts jsonb;
  begin${circuitsOf}
    starts := ${startsFrom(
      beyond(`select 'circuits.circuittermination' as kind, t.id, t.cable_id, '{}'::bigint[] as stack
        from circuits_circuittermination t where t.circuit_id = any (circuits)`)
    )};
    if starts is not null then perform rackwire_retrace(starts); end if;
    return null;
  end $$`

export const circuitFunctions: ReadonlyArray<string> = [name, retrace]

const moves = "(old.circuit_id, old.term_side, old.provider_network_id)"
const table = "circuits_circuittermination"

export const circuitTriggers: ReadonlyArray<{ readonly name: string; readonly sql: string }> = [
  // Every writer whose change may lead paths elsewhere waits for the others, as writers of cables do.
  {
    name: `${table}_a_first`,
    sql: `before insert or delete on ${table} for each row execute function rackwire_cable_turn()`
  },
  {
    name: `${table}_a_first_changed`,
    sql: `before update of circuit_id, term_side, provider_network_id on ${table} for each row
        when (${moves.replaceAll("old.", "new.")} is distinct from ${moves}) execute function rackwire_cable_turn()`
  },
  {
    name: `${table}_name`,
    sql: `after insert on ${table} referencing new table as made for each statement execute function rackwire_name_terminations()`
  },
  {
    name: `${table}_rename`,
    sql: `after update on ${table} referencing old table as was new table as made for each statement execute function rackwire_name_terminations()`
  },
  {
    name: `${table}_insert`,
    sql: `after insert on ${table} referencing new table as made for each statement execute function rackwire_circuits()`
  },
  {
    name: `${table}_update`,
    sql: `after update on ${table} referencing old table as was new table as made for each statement execute function rackwire_circuits()`
  },
  {
    name: `${table}_delete`,
    sql: `after delete on ${table} referencing old table as was for each statement execute function rackwire_circuits()`
  }
]
