/**
 * Functions that trace paths over cables and through panels and circuits, and that keep what each endpoint says of its
 * path: `connected_type`, `connected_ids` and `path_active`, which are null, empty and null where the cable itself leads
 * to an endpoint, or there is none.
 */
import { literal } from "../../../postgres/Literal.ts"
import { endTypeIds, endpointIds, tableOf } from "./Ends.ts"
import { byIndex, cablesOf, through } from "./CableSql.ts"

/** Most cables of a path; one in a circle ends there, incomplete. */
const hopsMax = 256

/** Deepest nesting of trunks in each other that a change is followed through. */
const nestingMax = 32

/** Most places that a change of a cable is followed to: a trunk of 1,024 positions has about 4,000. */
const reachedMax = 50_000

/** Most bridges that a trace crosses. */
const bridgesMax = 32

/** Most paths that a port is shown to be in: 1,024 positions from both sides. */
export const pathsMax = 2048

/** Most ends on a path; one with more ends there, incomplete. */
const endsMax = 50_000

/** Most bytes of the steps that an answer shows, as JSON: those of 20,000 cables with an end at each side. */
const stepBytesMax = 1 << 20

/** The cables at these ports, each once; 0 for none. */
const links = `
  create or replace function rackwire_links(kind text, ids bigint[]) returns bigint[] language plpgsql stable as $$
  begin
    case kind
      ${endTypeIds
        .map(
          (id) =>
            `when ${literal(id)} then return array(select distinct coalesce(p.cable_id, 0) from ${tableOf(id)} p where p.id = any (ids));`
        )
        .join("\n      ")}
      else return '{}';
    end case;
  end $$`

/** SQL of the ends across a cable `c`: `kind` and `id`, as seen from `near`. */
export const across = `(
  select c.b_type as kind, e.id from unnest(c.b_terminations) e(id) where c.a_type = near.kind and near.id = any (c.a_terminations)
  union all
  select c.a_type, e.id from unnest(c.a_terminations) e(id) where c.b_type = near.kind and near.id = any (c.b_terminations))`

/**
 * The path from ports of one type, the ends of one side of a cable. `steps`: near ends, cable and far ends, again and
 * again; null without a cable. A circuit ends in a network or at a site without a cable: far ends of its termination.
 */
const trace = `
  create or replace function rackwire_trace(kind text, ids bigint[], out steps jsonb, out is_active boolean,
    out is_complete boolean, out is_split boolean, out end_kind text, out end_ids bigint[]) language plpgsql stable ${byIndex} as $$
  declare
    near_kind text := kind;
    near bigint[] := ids;
    far_kind text;
    far bigint[];
    links bigint[];
    cable record;
    far_end record;
    most bigint;
    ends bigint := 0;
    -- Lists of positions, each as text.
    stack text[] := '{}';
  begin
    is_complete := false;
    is_split := false;
    for hop in 1..${hopsMax} loop
      links := rackwire_links(near_kind, near);
      if cardinality(links) > 1 then
        is_split := true;
        return;
      end if;
      select c.* into cable from dcim_cable c where c.id = links[1];
      if not found then
        if hop > 1 then steps := steps || jsonb_build_array(jsonb_build_array(near_kind, near, null, null, null)); end if;
        return;
      end if;
      if cable.a_type = near_kind and cable.a_terminations && near then
        far_kind := cable.b_type;
        far := cable.b_terminations;
      else
        far_kind := cable.a_type;
        far := cable.a_terminations;
      end if;
      ends := ends + cardinality(near) + cardinality(far);
      if hop > 1 and ends > ${endsMax} then return; end if;
      steps := coalesce(steps, '[]') || jsonb_build_array(jsonb_build_array(near_kind, near, cable.id, far_kind, far));
      is_active := coalesce(is_active, true) and cable.status = 'connected';
      if far_kind = 'dcim.frontport' then
        select array_agg(distinct r.id), max(r.positions) into near, most
          from dcim_frontport f join dcim_rearport r on r.id = f.rear_port_id where f.id = any (far);
        near_kind := 'dcim.rearport';
        if most > 1 and cardinality(near) > 1 then
          is_split := true;
          return;
        end if;
        if most > 1 then
          stack := stack || (array(select f.rear_port_position from dcim_frontport f where f.id = any (far) order by 1))::text;
        end if;
      elsif far_kind = 'dcim.rearport' then
        select max(r.positions) into most from dcim_rearport r where r.id = any (far);
        near_kind := 'dcim.frontport';
        if most = 1 then
          near := array(select f.id from dcim_frontport f where f.rear_port_id = any (far) and f.rear_port_position = 1 order by 1);
        elsif cardinality(far) = 1 and stack <> '{}' then
          near := array(select f.id from dcim_frontport f where f.rear_port_id = far[1]
            and f.rear_port_position = any (stack[cardinality(stack)]::bigint[]) order by 1);
          stack := stack[:cardinality(stack) - 1];
        else
          is_split := true;
          return;
        end if;
      elsif far_kind = 'circuits.circuittermination' then
        is_split := cardinality(far) > 1;
        if is_split then return; end if;
        select p.* into far_end from circuits_circuittermination t
          join circuits_circuittermination p on p.circuit_id = t.circuit_id and p.term_side <> t.term_side where t.id = far[1];
        if not found then return; end if;
        near_kind := far_kind;
        near := array[far_end.id];
        if far_end.provider_network_id is not null then
          is_complete := true;
          end_kind := 'circuits.providernetwork';
          end_ids := array[far_end.provider_network_id];
          steps := steps || jsonb_build_array(jsonb_build_array(near_kind, near, null, end_kind, end_ids));
          return;
        end if;
        if far_end.cable_id is null then
          steps := steps || jsonb_build_array(jsonb_build_array(near_kind, near, null, 'dcim.site', array[far_end.site_id]));
          return;
        end if;
      else
        is_complete := true;
        end_kind := far_kind;
        end_ids := far;
        return;
      end if;
      if coalesce(near, '{}') = '{}' then return; end if;
    end loop;
  end $$`

/** The ends of a side of a cable with which this one begins its path, null where it has no cable. */
const sideOf = `
  create or replace function rackwire_side(own_kind text, own_id bigint) returns bigint[] language plpgsql stable as $$
  begin
    return (select case when c.a_type = own_kind and own_id = any (c.a_terminations) then c.a_terminations else c.b_terminations end
      from dcim_cable c where c.id = any (rackwire_links(own_kind, array[own_id])));
  end $$`

/** The steps of the path of an endpoint, on through the bridge of a single interface at its end. A wireless link is a step too. */
const traceFrom = `
  create or replace function rackwire_trace_from(own_kind text, own_id bigint) returns jsonb language plpgsql stable as $$
  declare
    kind text := own_kind;
    here bigint := own_id;
    seen bigint[] := '{}';
    path record;
    steps jsonb := '[]';
  begin
    while here is not null and cardinality(seen) <= ${bridgesMax} loop
      select t.steps, t.is_complete, t.end_kind, t.end_ids into path from rackwire_trace(kind, rackwire_side(kind, here)) t;
      if path.steps is null and kind = 'dcim.interface' then
        select jsonb_build_array(jsonb_build_array(kind, array[here], l.id, kind, array[o.id], 'wireless.wirelesslink')) as steps,
               true as is_complete, kind as end_kind, array[o.id] as end_ids into path
          from dcim_interface i join wireless_wirelesslink l on l.id = i.wireless_link_id
          cross join lateral (select case when l.interface_a_id = i.id then l.interface_b_id else l.interface_a_id end as id) o
         where i.id = here;
      end if;
      exit when path.steps is null;
      steps := steps || path.steps;
      exit when octet_length(steps::text) > ${stepBytesMax};
      exit when not path.is_complete or path.end_kind <> 'dcim.interface' or cardinality(path.end_ids) <> 1
        or path.end_ids[1] = any (seen);
      seen := seen || path.end_ids;
      kind := path.end_kind;
      select i.bridge_id into here from dcim_interface i where i.id = path.end_ids[1];
    end loop;
    return steps;
  end $$`

/**
 * The endpoints whose paths may lead over the starts: ports at which a walk has arrived over a cable, with the positions
 * at which it still has to leave rear ports, the last one first. Without a position it leaves at each.
 */
const reach = `
  create or replace function rackwire_reach(starts jsonb) returns table (kind text, id bigint) language plpgsql stable ${byIndex} as $$
  #variable_conflict use_column
  declare
    reached bigint;
    found_kinds text[];
    found_ids bigint[];
  begin
    with recursive walk (kind, id, stack) as (
      select s.kind, s.id, s.stack from jsonb_to_recordset(starts) as s(kind text, id bigint, stack bigint[])
      union
      select far.kind, far.id, near.stack
        from walk w
        cross join lateral (
          select 'dcim.rearport' as kind, r.id, r.cable_id,
                 case when r.positions > 1 then w.stack || f.rear_port_position else w.stack end as stack
            from dcim_frontport f join dcim_rearport r on r.id = f.rear_port_id
           where w.kind = 'dcim.frontport' and f.id = w.id
          union all
          select 'dcim.frontport', f.id, f.cable_id,
                 case when r.positions > 1 and w.stack <> '{}' then w.stack[:cardinality(w.stack) - 1] else w.stack end
            from dcim_rearport r join dcim_frontport f on f.rear_port_id = r.id
           where w.kind = 'dcim.rearport' and r.id = w.id
             and (r.positions = 1 or w.stack = '{}' or f.rear_port_position = w.stack[cardinality(w.stack)])
          union all
          select 'circuits.circuittermination', p.id, p.cable_id, w.stack
            from circuits_circuittermination t
            join circuits_circuittermination p on p.circuit_id = t.circuit_id and p.term_side <> t.term_side
           where w.kind = 'circuits.circuittermination' and t.id = w.id) near
        join dcim_cable c on c.id = near.cable_id
        cross join lateral ${across} far
       where cardinality(near.stack) <= ${nestingMax})
    select count(*), array_agg(w.kind) filter (where w.kind <> all (${through})), array_agg(w.id) filter (where w.kind <> all (${through}))
      into reached, found_kinds, found_ids from (select * from walk limit ${reachedMax + 1}) w;
    if reached > ${reachedMax} then
      raise exception 'more than ${reachedMax} places are connected there: connect fewer' using errcode = 'check_violation';
    end if;
    return query select distinct f.kind, f.id from unnest(found_kinds, found_ids) f(kind, id);
  end $$`

/** SQL of the sides of cables with these endpoints of a type: their ends as `ids`, and the type at the other side. */
const sidesOf = (kind: string, found: string): string =>
  (["a", "b"] as const)
    .map(
      (side) => `select c.${side}_terminations as ids, c.${side === "a" ? "b" : "a"}_type as far
        from ${cablesOf(`rackwire_links(${kind}, ${found})`)} c
        where c.${side}_type = ${kind} and c.${side}_terminations && ${found}`
    )
    .join(" union all ")

const none = "(null::text, '{}'::bigint[], null::boolean)"

const retraced = (id: string): string => `
  when ${literal(id)} then
    update ${tableOf(id)} p set (connected_type, connected_ids, path_active) = (s.end_kind, coalesce(s.end_ids, '{}'), s.is_active)
      from (select e.id, t.end_kind, t.end_ids, t.is_active
        from (select distinct * from (${sidesOf(literal(id), "found_ids")}) s) s
        left join lateral rackwire_trace(${literal(id)}, s.ids) t on s.far = any (${through})
        cross join unnest(s.ids) e(id)) s
     where p.id = s.id and (p.connected_type, p.connected_ids, p.path_active)
       is distinct from (s.end_kind, coalesce(s.end_ids, '{}'), s.is_active);
    update ${tableOf(id)} p set (connected_type, connected_ids, path_active) = ${none}
     where p.id in (select q.id from (select * from ${tableOf(id)} where id = any (found_ids) offset 0) q
       where q.cable_id is null and (q.connected_type, q.connected_ids, q.path_active) is distinct from ${none});`

/** Traces the paths again that may lead over the starts. */
const retrace = `
  create or replace function rackwire_retrace(starts jsonb) returns void language plpgsql ${byIndex} as $$
  declare
    found_kind text;
    found_ids bigint[];
  begin
    perform rackwire_take_turn();
    for found_kind, found_ids in
      select r.kind, array_agg(r.id order by r.id) from rackwire_reach(starts) r group by r.kind order by r.kind
    loop
      case found_kind${endpointIds.map(retraced).join("")}
        else null;
      end case;
    end loop;
  end $$`

/** The paths that lead over a port of a panel, or an end of a circuit. */
const pathsThrough = `
  create or replace function rackwire_paths_through(own_kind text, own_id bigint) returns jsonb language plpgsql stable ${byIndex} as $$
  declare
    starts jsonb := (
      select jsonb_agg(jsonb_build_object('kind', s.kind, 'id', s.id, 'stack', '[]'::jsonb)) from (
        select own_kind as kind, own_id as id
        union
        select far.kind, far.id from (select own_kind as kind, own_id as id) near
          join dcim_cable c on c.id = any (rackwire_links(own_kind, array[own_id])) cross join lateral ${across} far) s);
  begin
    return (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'steps', p.steps, 'is_active', p.is_active,
        'is_complete', p.is_complete, 'is_split', p.is_split) order by p.id), '[]')
      from (select t.id, x.steps, x.is_active, x.is_complete, x.is_split,
                   sum(octet_length(x.steps::text)) over (order by t.id) as bytes
        from (select r.kind, array_agg(r.id) as ids from rackwire_reach(starts) r group by r.kind) r
        cross join lateral (select distinct * from (${sidesOf("r.kind", "r.ids")}) s) s
        cross join lateral rackwire_trace(r.kind, s.ids) x
        join dcim_cabletermination t on t.termination_type = r.kind and t.termination_id = s.ids[1]
       where exists (select from jsonb_array_elements(x.steps) e(step)
         where step ->> 0 = own_kind and step -> 1 @> to_jsonb(own_id) or step ->> 3 = own_kind and step -> 4 @> to_jsonb(own_id))
       order by t.id limit ${pathsMax}) p
     where bytes <= ${stepBytesMax});
  end $$`

export const pathFunctions: ReadonlyArray<string> = [links, trace, sideOf, traceFrom, reach, retrace, pathsThrough]
