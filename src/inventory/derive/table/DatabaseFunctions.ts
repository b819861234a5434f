/** Functions in the database: for the triggers of object tables, and for people who write with plain SQL. */
import type { Generic } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import { type ObjectType, columnOf } from "../../ObjectType.ts"
import { registry } from "../../Registry.ts"
import { bondFunctions } from "./BondTriggers.ts"
import { genericCheckName, genericTargets } from "./TableOf.ts"
import { announceChannel, contextPrefix, messageCharsMax } from "../../../postgres/Messages.ts"

const common: ReadonlyArray<string> = [
  `create or replace function rackwire_context(username text, request uuid default gen_random_uuid()) returns uuid
   language sql as $$
     select request from (select pg_logical_emit_message(
       true, '${contextPrefix}', json_build_object('user', username, 'request', request)::text)) as emitted
   $$`,
  `comment on function rackwire_context(text, uuid) is
   'Names the author of the changes that follow in this transaction, and the request that they belong to.'`,
  `create or replace function rackwire_context(username text, request uuid, message text) returns uuid
   language sql as $$
     select id from (select coalesce(request, gen_random_uuid()) as id) chosen, lateral (select pg_logical_emit_message(
       true, '${contextPrefix}',
       json_build_object('user', username, 'request', id, 'message', left(message, ${messageCharsMax}))::text)) emitted
   $$`,
  `comment on function rackwire_context(text, uuid, text) is
   'The same with a reason for the changes; without a request (null) they get one of their own.'`,
  `create or replace function rackwire_touch() returns trigger language plpgsql as $$
   begin
     if new.id <> old.id then
       raise exception 'the id of a % is what events and references know it by: it cannot change', tg_table_name
         using errcode = 'feature_not_supported';
     end if;
     -- Rows that are moved here keep their times (move/Move.ts).
     if coalesce(current_setting('rackwire.keeps_times', true), '') <> 'on' then
       new.last_updated := now();
     end if;
     return new;
   end $$`,
  `create or replace function rackwire_announce() returns trigger language plpgsql as $$
   begin
     perform pg_notify('${announceChannel}', tg_argv[0] || ' ' || coalesce(new.id, old.id));
     return null;
   end $$`,
  `create or replace function rackwire_refuse_truncate() returns trigger language plpgsql as $$
   begin
     raise exception 'truncate of % would go unseen by webhooks and the change log: use delete', tg_table_name
       using errcode = 'feature_not_supported';
   end $$`,
  // Partitions are named by their day, so that they can be found and dropped by it.
  `create or replace function rackwire_add_day(parent text, day date) returns void language plpgsql as $$
   declare
     child text := parent || to_char(day, '"_"YYYYMMDD');
   begin
     if to_regclass(child) is not null then return; end if;
     perform pg_advisory_xact_lock(hashtext(parent));
     execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
       child, parent, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
   end $$`,
  `create or replace function rackwire_days_before(parent text, day date) returns table (child text)
   language sql stable as $$
     select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = parent::regclass and right(c.relname, 8) < to_char(day, 'YYYYMMDD') order by 1
   $$`,
  `create or replace function rackwire_estimate(query text) returns bigint language plpgsql as $$
   declare
     plan json;
   begin
     execute 'explain (format json) ' || query into plan;
     return plan->0->'Plan'->>'Plan Rows';
   end $$`,
  `comment on function rackwire_estimate(text) is 'How many rows Postgres thinks that a query has, without running it.'`,
  // References in a list have no foreign key: these two keep them valid as one would, locks included.
  `create or replace function rackwire_check_list() returns trigger language plpgsql as $$
   declare
     ids bigint[];
     found_count bigint;
   begin
     execute format('select array(select distinct e from unnest($1.%I) e order by e)', tg_argv[1]) into ids using new;
     execute format('select count(*) from (select 1 from %I where id = any($1) for key share) held', tg_argv[0])
       into found_count using ids;
     if found_count <> cardinality(ids) then
       raise exception '%.% names rows of % that do not exist', tg_table_name, tg_argv[1], tg_argv[0]
         using errcode = 'foreign_key_violation';
     end if;
     return jsonb_populate_record(new, jsonb_build_object(tg_argv[1], ids));
   end $$`,
  `create or replace function rackwire_forget() returns trigger language plpgsql as $$
   begin
     execute format('update %I set %I = array_remove(%2$I, $1) where %2$I @> array[$1]', tg_argv[0], tg_argv[1])
       using old.id;
     return null;
   end $$`,
  // The argument is the column of the parts (image/ImageTable.ts).
  `create or replace function rackwire_remove_image() returns trigger language plpgsql as $$
   begin
     execute format('delete from rackwire_image_part where %I = $1', tg_argv[0]) using old.id;
     return null;
   end $$`,
  `create or replace function rackwire_forget_generic() returns trigger language plpgsql as $$
   declare
     those text := format('%I = $1 and %I in (select id from gone)', tg_argv[1], tg_argv[2]);
   begin
     -- A statement without rows comes here too, and what follows would be one of the same table.
     if not exists (select from gone) then return null; end if;
     if tg_argv[4] = 'cascade' then
       execute format('delete from %I where %s', tg_argv[0], those) using tg_argv[3];
     else
       execute format('update %I set %I = null, %I = null where %s', tg_argv[0], tg_argv[1], tg_argv[2], those)
         using tg_argv[3];
     end if;
     return null;
   end $$`
]

/**
 * A generic reference has no foreign key: this trigger function keeps it valid as one would, lock included. Each has a
 * function of its own: Postgres plans a static statement once per session, but a dynamic one for every row.
 */
const genericCheck = (type: ObjectType, field: string, generic: Generic): string => {
  const [column, id] = [columnOf(type, field), columnOf(type, generic.id)]
  const cases = genericTargets(generic).map(
    (target) => `when ${literal(target.id)} then perform from ${target.table} where id = new.${id} for key share;`
  )
  return `create or replace function ${genericCheckName(type, column)}() returns trigger language plpgsql as $$
   begin
     case new.${column}
       ${cases.join("\n       ")}
       else perform where false;
     end case;
     if not found then
       raise exception '%.% names a % that does not exist', tg_table_name, ${literal(id)}, coalesce(new.${column}, 'nothing')
         using errcode = 'foreign_key_violation';
     end if;
     return new;
   end $$`
}

/** All functions, including those that only some object types declare: each once. */
export const functions: ReadonlyArray<string> = [
  ...new Set([
    ...common,
    ...[...registry.values()].flatMap((type) => [
      ...type.functions,
      ...bondFunctions(type),
      ...Object.entries(type.fields).flatMap(([name, { generic }]) =>
        generic === undefined ? [] : [genericCheck(type, name, generic)]
      )
    ])
  ])
]
