/** Cables of versions that joined interfaces only are the same afterwards, and no event says otherwise. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { environmentOf } from "../../support/Api.ts"
import { runCommand } from "../../support/Command.ts"
import { Net } from "./Net.ts"

let net: Net

/** The layout of earlier versions, in place of what a migration makes of it. */
const earlier = [
  "drop table dcim_cabletermination",
  ...["a_type", "b_type"].map((column) => `alter table dcim_cable drop column ${column} cascade`),
  ...["connect", "reconnect", "disconnect"].map((name) => `drop trigger dcim_cable_${name} on dcim_cable`),
  ...["a", "b"].map((side) => `drop trigger dcim_cable_${side}_terminations_forget on dcim_interface`),
  "drop trigger dcim_interface_plug on dcim_interface",
  ...["connected_type", "connected_ids", "path_active"].map((name) => `alter table dcim_interface drop column ${name}`),
  `create or replace function rackwire_connect() returns trigger language plpgsql as $$
   begin
     update dcim_interface set cable_id = new.id where id = any (new.a_terminations || new.b_terminations);
     return null;
   end $$`,
  ...["a", "b"].flatMap((side) => {
    const column = `${side}_terminations`
    return [
      `create trigger dcim_cable_${column}_exist before insert or update of ${column} on dcim_cable for each row
         when (new.${column} <> '{}') execute function rackwire_check_list('dcim_interface', '${column}')`,
      `comment on trigger dcim_cable_${column}_exist on dcim_cable is 'as it was'`,
      `create trigger dcim_cable_${column}_forget after delete on dcim_interface for each row
         execute function rackwire_forget('dcim_cable', '${column}')`,
      `comment on trigger dcim_cable_${column}_forget on dcim_interface is 'as it was'`
    ]
  }),
  `create trigger dcim_cable_connect after insert or update of a_terminations, b_terminations on dcim_cable for each row
     execute function rackwire_connect()`,
  "comment on trigger dcim_cable_connect on dcim_cable is 'as it was'"
]

beforeAll(async () => {
  net = await Net.make()
  await net.ports("i1 i2 i3 i4")
  for (const statement of earlier) await net.database.superuser.query(statement)
})
afterAll(() => net.close())

it("are joined as before, by their rows and their terminations", async () => {
  const ends = (...ports: ReadonlyArray<string>) => `'{${ports.map(net.idOf).join(",")}}'`
  await net.database.sql.query(
    `insert into dcim_cable (id, a_terminations, b_terminations, status) values (7, ${ends("i1")}, ${ends("i2", "i3")}, 'connected')`
  )
  const rows =
    "select to_jsonb(i) - '{connected_type,connected_ids,path_active}'::text[] as row from dcim_interface i order by id"
  const before = await net.database.sql.query(rows)
  await runCommand(["migrate"], { env: environmentOf(net.database) })
  expect(await net.database.sql.query(rows)).toEqual(before)
  expect(await net.path("i1")).toBe("i1-i2+i3 complete")
  expect(await net.stored("i2")).toEqual(["", null])
  await net.ports("r1")
  await expect(net.cables("r1-i1")).rejects.toThrow(/unique/)
  // A rear port may have the id of an interface.
  await net.database.sql.query(`delete from dcim_interface where id = ${net.idOf("i3")}`)
  expect(await net.path("i1")).toBe("i1-i2 complete")
  await net.cables("r1-i4")
  expect(await net.path("i4")).toBe("i4-r1 open")
})
