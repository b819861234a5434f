/** Facts of a database that lacks nothing. */
import type { AttachFacts } from "../../src/attach/Facts.ts"

export const completeFacts: AttachFacts = {
  ...{ slot: "rackwire", publication: "rackwire", version: 150_004, platform: "plain" },
  ...{ database: "netbox", user: "reader", isStandby: false, schema: "public", mayUseSchema: true },
  tables: ["core_objectchange", "dcim_site", "django_content_type", "extras_eventrule", "extras_webhook"],
  changeTable: { name: "core_objectchange", owner: "netbox", isOwned: false },
  unreadable: [],
  webhookTables: ["extras_eventrule", "extras_eventrule_object_types", "extras_webhook"],
  ...{ walLevel: "logical", slotsMax: 10, slotsUsed: 2, sendersMax: 10, sendersUsed: 1, mayCreate: false },
  foundPublication: { isOwned: false, hasTable: true, isWhole: true, operations: ["insert", "update"] },
  ...{ foundSlot: null, idleSlotTimeout: null, slotWalMegabytes: null },
  ...{ release: "4.2", replication: "accepted", replicationRefusal: "" }
}
