/**
 * Functions and triggers that make a cable's row the truth about its ends: for every writer, plain SQL too, the rows
 * of `dcim_cabletermination`, the ports' `cable_id` and the paths (PathSql.ts) follow.
 */
import { literal } from "../../../postgres/Literal.ts"
import { endTypeIds, isEndpoint, tableOf } from "./Ends.ts"

const sides = ["a", "b"] as const

/** SQL of the ends that rows of cables have, one by one: `cable`, `side`, `kind`, `id`. */
const endsOf = (from: string): string =>
  sides
    .map(
      (side) =>
        `select c.id as cable, '${side.toUpperCase()}' as side, c.${side}_type as kind, e.id
           from ${from} c cross join unnest(c.${side}_terminations) e(id)`
    )
    .join(" union all ")

const throughKinds = endTypeIds.filter((id) => !isEndpoint(id))

/** SQL of a list of types. */
export const listOf = (ids: ReadonlyArray<string>): string => `array[${ids.map(literal).join(", ")}]::text[]`

/** SQL of the types that paths lead through. */
export const through = listOf(throughKinds)

/** SQL that a cable, a row `alias`, leads on behind one of its ends, so that paths depend on it. */
const leadsOn = (alias: string): string => `(${alias}.a_type = any (${through}) or ${alias}.b_type = any (${through}))`

/** Before Postgres 18 the cost of a plan that a setting forbids, but that is the only one, is so high that it is compiled first. */
const forbidding = "set jit = off"

/**
 * Options of functions whose statements find few rows of large tables by their ids. A session keeps the plans that it made
 * while the tables were small, and the planner guesses 100 rows where it has no count: both would read whole tables.
 */
export const byIndex = `${forbidding} set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_nestloop = on`

/**
 * Options of functions that join the rows of a statement as they were and as they are. For the same reason each row would be
 * compared with each.
 */
export const byHash = `${forbidding} set enable_nestloop = off set enable_hashjoin = on`

/** SQL of the cables of these ids. Behind `offset 0` no index of another column is considered. */
export const cablesOf = (ids: string): string => `(select * from dcim_cable where id = any (${ids}) offset 0)`

/** Sorts the ends of one side, and locks them so that they exist when the transaction commits. */
const checkSide = (side: (typeof sides)[number]): string => `
  create or replace function rackwire_check_cable_${side}() returns trigger language plpgsql as $$
  declare
    ids bigint[] := array(select distinct e from unnest(new.${side}_terminations) e order by e);
    found_count bigint;
  begin
    case new.${side}_type
      ${endTypeIds
        .map(
          (id) =>
            `when ${literal(id)} then select count(*) into found_count from (select from ${tableOf(id)} where id = any (ids) for key share) locked;`
        )
        .join("\n      ")}
      else raise exception 'a cable cannot end at a %', new.${side}_type using errcode = 'check_violation';
    end case;
    if found_count <> cardinality(ids) then
      raise exception 'an end of cable % names a % that does not exist', new.id, new.${side}_type
        using errcode = 'foreign_key_violation';
    end if;
    new.${side}_terminations := ids;
    return new;
  end $$`

/** Takes deleted ports out of one side of their cables. */
const forgetEnd = (side: (typeof sides)[number]): string => `
  create or replace function rackwire_forget_end_${side}() returns trigger language plpgsql ${byIndex} as $$
  declare
    cables bigint[] := array(select distinct cable_id from removed where cable_id is not null);
  begin
    if cables = '{}' then return null; end if;
    update dcim_cable c
       set ${side}_terminations = array(select e from unnest(c.${side}_terminations) e where e not in (select id from removed) order by e)
     where c.id in (select d.id from ${cablesOf("cables")} d where d.${side}_type = tg_argv[0]
       and d.${side}_terminations && array(select id from removed));
    return null;
  end $$`

/**
 * A writer of a cable that paths depend on waits for other such writers, before it has locks on ports. So each sees the
 * others' cables when it traces the paths again.
 */
const turn = `
  create or replace function rackwire_take_turn() returns void language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtext('rackwire_paths'), 0);
  end $$`

const cableTurn = `
  create or replace function rackwire_cable_turn() returns trigger language plpgsql as $$
  begin
    perform rackwire_take_turn();
    return coalesce(new, old);
  end $$`

/** Makes terminations and ports say what the cables say; `kinds`: the types of all ends, before and after. */
const wire = `
  create or replace function rackwire_wire(cables bigint[], kinds text[]) returns void language plpgsql ${byIndex} as $$
  begin
    delete from dcim_cable where id = any (cables) and (a_terminations = '{}' or b_terminations = '{}');
    delete from dcim_cabletermination t where t.cable_id = any (cables) and not exists (
      select from dcim_cable c where c.id = t.cable_id and (${sides
        .map(
          (side) =>
            `t.cable_end = '${side.toUpperCase()}' and t.termination_type = c.${side}_type and t.termination_id = any (c.${side}_terminations)`
        )
        .join(" or ")}));
    insert into dcim_cabletermination (cable_id, cable_end, termination_type, termination_id)
    select e.cable, e.side, e.kind, e.id from (${endsOf(cablesOf("cables"))}) e
     where not exists (select from dcim_cabletermination t
       where t.cable_id = e.cable and t.cable_end = e.side and t.termination_type = e.kind and t.termination_id = e.id)
     order by e.cable, e.side, e.id;
    ${endTypeIds
      .map(
        (id) => `
    if ${literal(id)} = any (kinds) then
      update ${tableOf(id)} p set cable_id = null where p.cable_id = any (cables) and not exists (
        select from dcim_cabletermination t
         where t.termination_type = ${literal(id)} and t.termination_id = p.id and t.cable_id = p.cable_id);
      update ${tableOf(id)} p set cable_id = t.cable_id
        from (select * from dcim_cabletermination where cable_id = any (cables) offset 0) t
       where t.termination_type = ${literal(id)} and t.termination_id = p.id
         and p.cable_id is distinct from t.cable_id;
    end if;`
      )
      .join("")}
  end $$`

/** The ends of cables as starts of `rackwire_retrace`. */
const startsOf = (ends: string): string =>
  `(select coalesce(jsonb_agg(jsonb_build_object('kind', s.kind, 'id', s.id, 'stack', '[]'::jsonb)), '[]') from (select distinct e.kind, e.id from (${ends}) e) s)`

const kindsOf = (from: string): string => `(select a_type from ${from} union select b_type from ${from})`

const connect = `
  create or replace function rackwire_connect() returns trigger language plpgsql as $$
  begin
    if not exists (select from made) then return null; end if;
    perform rackwire_wire(array(select id from made), array${kindsOf("made")});
    if exists (select from made c where ${leadsOn("c")}) then
      perform rackwire_retrace(${startsOf(endsOf(`(select * from made c where ${leadsOn("c")})`))});
    end if;
    return null;
  end $$`

/** Cables whose ends changed, or whether they are connected. */
const reconnect = `
  create or replace function rackwire_reconnect() returns trigger language plpgsql ${byHash} as $$
  declare
    moved bigint[] := array(select c.id from was c join made n on n.id = c.id
      where (c.a_type, c.a_terminations, c.b_type, c.b_terminations) is distinct from (n.a_type, n.a_terminations, n.b_type, n.b_terminations));
    switched bigint[] := array(select c.id from was c join made n on n.id = c.id
      where (c.status = 'connected') <> (n.status = 'connected'));
    changed bigint[] := moved || switched;
  begin
    if changed = '{}' then return null; end if;
    if moved <> '{}' then
      perform rackwire_wire(moved, array(select kind from (
        select a_type as kind from was where id = any (moved) union select b_type from was where id = any (moved)
        union select a_type from made where id = any (moved) union select b_type from made where id = any (moved)) k));
    end if;
    if exists (select from (select * from was union all select * from made) c where c.id = any (changed) and ${leadsOn("c")}) then
      perform rackwire_retrace(${startsOf(
        `select * from (${endsOf("(select * from was union all select * from made)")}) e where e.cable = any (changed)`
      )});
    end if;
    perform rackwire_touch_ends(moved, switched, (select coalesce(jsonb_object_agg(id,
      jsonb_build_object('A', jsonb_build_array(a_type, a_terminations), 'B', jsonb_build_array(b_type, b_terminations))), '{}')
      from was where id = any (moved)));
    return null;
  end $$`

/**
 * Ends that stay where they are, but show something else of the cable: their peers changed, or whether they are reachable
 * straight over it. An update that changes nothing else makes an event of each.
 */
const touchEnds = `
  create or replace function rackwire_touch_ends(moved bigint[], switched bigint[], was jsonb) returns void language plpgsql ${byIndex} as $$
  declare
    kind text;
    ids bigint[];
  begin
    for kind, ids in
      select e.kind, array_agg(distinct e.id) from (${endsOf(cablesOf("moved || switched"))}) e join dcim_cable c on c.id = e.cable
       where c.id = any (moved) and was ? c.id::text
           and was -> c.id::text -> (case e.side when 'A' then 'B' else 'A' end) is distinct from
             case e.side when 'A' then jsonb_build_array(c.b_type, c.b_terminations) else jsonb_build_array(c.a_type, c.a_terminations) end
           and was -> c.id::text -> e.side ->> 0 = e.kind and was -> c.id::text -> e.side -> 1 @> to_jsonb(e.id)
         or c.id = any (switched) and not ${leadsOn("c")}
       group by e.kind order by e.kind
    loop
      case kind
        ${endTypeIds
          .map(
            (id) =>
              `when ${literal(id)} then update ${tableOf(id)} set cable_id = cable_id where id = any (ids) and cable_id is not null;`
          )
          .join("\n        ")}
        else null;
      end case;
    end loop;
  end $$`

/** The foreign keys have taken the cable from its ports. */
const disconnect = `
  create or replace function rackwire_disconnect() returns trigger language plpgsql as $$
  begin
    if exists (select from was c where ${leadsOn("c")}) then
      perform rackwire_retrace(${startsOf(endsOf(`(select * from was c where ${leadsOn("c")})`))});
    end if;
    return null;
  end $$`

/** A port says nothing of a cable that does not end there. */
const plug = `
  create or replace function rackwire_plug() returns trigger language plpgsql as $$
  begin
    if not exists (select from dcim_cabletermination t
      where t.termination_type = tg_argv[0] and t.termination_id = new.id and t.cable_id = new.cable_id) then
      raise exception 'cable % does not end at % %', new.cable_id, tg_argv[0], new.id using errcode = 'check_violation';
    end if;
    return new;
  end $$`

export const cableFunctions: ReadonlyArray<string> = [
  turn,
  cableTurn,
  ...sides.map(checkSide),
  ...sides.map(forgetEnd),
  wire,
  touchEnds,
  connect,
  reconnect,
  disconnect,
  plug
]

export const cableTriggers: ReadonlyArray<{ readonly name: string; readonly sql: string }> = [
  {
    name: "dcim_cable_a_first_new",
    sql: `before insert on dcim_cable for each row when (${leadsOn("new")}) execute function rackwire_cable_turn()`
  },
  {
    name: "dcim_cable_a_first_changed",
    sql: `before update of a_type, a_terminations, b_type, b_terminations, status on dcim_cable for each row when (${leadsOn("old")} or ${leadsOn("new")}) execute function rackwire_cable_turn()`
  },
  {
    name: "dcim_cable_a_first_deleted",
    sql: `before delete on dcim_cable for each row when (${leadsOn("old")}) execute function rackwire_cable_turn()`
  },
  ...sides.map((side) => ({
    name: `dcim_cable_${side}_terminations_exist`,
    sql: `before insert or update of ${side}_type, ${side}_terminations on dcim_cable for each row execute function rackwire_check_cable_${side}()`
  })),
  ...endTypeIds.flatMap((id) =>
    sides.map((side) => ({
      name: `dcim_cable_${side}_terminations_forget${id === "dcim.interface" ? "" : `_${tableOf(id)}`}`,
      sql: `after delete on ${tableOf(id)} referencing old table as removed for each statement execute function rackwire_forget_end_${side}('${id}')`
    }))
  ),
  {
    name: "dcim_cable_connect",
    sql: "after insert on dcim_cable referencing new table as made for each statement execute function rackwire_connect()"
  },
  {
    name: "dcim_cable_reconnect",
    sql: "after update on dcim_cable referencing old table as was new table as made for each statement execute function rackwire_reconnect()"
  },
  {
    name: "dcim_cable_disconnect",
    sql: "after delete on dcim_cable referencing old table as was for each statement execute function rackwire_disconnect()"
  },
  ...endTypeIds.map((id) => ({
    name: `${tableOf(id)}_plug`,
    sql: `before insert or update of cable_id on ${tableOf(id)} for each row when (new.cable_id is not null) execute function rackwire_plug('${id}')`
  }))
]
