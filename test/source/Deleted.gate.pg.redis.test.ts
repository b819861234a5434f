/** Sources that are deleted: nothing of them stays, on either server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { servers } from "../support/Database.ts"
import { type Sql, openSql } from "../support/Sql.ts"
import { vaultOf } from "../support/Vault.ts"
import { attach, dropSlot, enable, removeSource } from "./Attached.ts"

let server: Sql
let sharedApi: Api

beforeAll(async () => {
  server = openSql(servers.superuserUrl)
  sharedApi = await startApi({}, { pace: 0.2 })
})

afterAll(async () => {
  await sharedApi.stop()
  await server.close()
})

const slotsOf = (name: string) => server.query("select 1 from pg_replication_slots where slot_name = $1", [name])

describe("a source that is deleted", () => {
  it("leaves nothing behind, also where its database was dropped before", async () => {
    const own = await attach("4.2", {}, { sharedApi })
    const { api, source, writer, netbox } = own
    await enable(own, false)
    await dropSlot(own)
    await writer.close()
    await netbox.drop()
    await removeSource(api, source)
    expect(await slotsOf(netbox.name)).toEqual([])
  })

  it("says which slot it leaves behind where no key opens its address", async () => {
    const own = await attach("4.2", {}, { sharedApi })
    const { api, source, netbox } = own
    await enable(own, false)
    await api.database.sql.query("update rackwire_source set database_url = $2 where source_id = $1::bigint", [
      source,
      vaultOf("a key that was lost, of sufficient length").seal(netbox.databaseUrl)
    ])
    await removeSource(api, source)
    expect(api.service.output()).toContain(`Drop it there: select pg_drop_replication_slot('${netbox.name}')`)
    await dropSlot(own)
    await own.writer.close()
    await netbox.drop()
  })
})
