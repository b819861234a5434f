/** Everything that a NetBox writes to its change table, one after the other. */
import type { NetBoxWriter } from "./NetBoxWriter.ts"
import { incompressible } from "./NetBoxWriter.ts"

/** More rows than the reader keeps of one transaction. */
const scriptObjects = 2500

export const writeEverything = async (writer: NetBoxWriter): Promise<void> => {
  let [site, device, vlan] = [0, 0, 0]
  await writer.request(async (request) => {
    for (const name of ["core", "edge", "lab"]) await request.create("extras.tag", { name })
  })
  // A list amends the row of the same request.
  await writer.request(async (request) => {
    site = await request.create(
      "dcim.site",
      { name: "Berlin", custom_fields: { owner: "net" } },
      { tags: ["lab", "core"] }
    )
    device = await request.create("dcim.device", { name: "sw1", site })
    vlan = await request.create("ipam.vlan", { name: "v", vid: 7, site })
    await request.create("dcim.interface", { name: "e1", device }, { tagged_vlans: [vlan] })
  })
  // Several saves of one object.
  await writer.request(async (request) => {
    await request.update("dcim.site", site, { facility: "a" })
    await request.update("dcim.site", site, { facility: "b" }, { tags: ["edge"] })
  })
  // A state that is stored apart, so that the update of its row leaves it out.
  const comments = incompressible(12_000, "large")
  await writer.request((request) => request.update("dcim.site", site, { comments }))
  await writer.request((request) => request.update("dcim.site", site, { status: "retired" }, { tags: ["core"] }))
  await writer
    .request(async (request) => {
      await request.create("dcim.site", { name: "lost" })
      throw new Error("refused")
    })
    .catch(() => undefined)
  const first = await writer.begin({ connection: 0 })
  const second = await writer.begin({ connection: 1, user: "alice" })
  await first.request.create("dcim.site", { name: "first" })
  await second.request.create("dcim.site", { name: "second" })
  await second.commit()
  await first.commit()
  await writer.request((request) =>
    request.createMany(
      "netbox_dns.zone",
      Array.from({ length: scriptObjects }, (_, at) => ({ name: `zone ${at}` }))
    )
  )
  await writer.job(async (job) => {
    const made = await job.create("dcim.site", { name: "job" })
    await job.update("dcim.site", made, { facility: "y" })
    await job.delete("dcim.site", made)
  })
  await writer.request(async (request) => {
    const gone = await request.create("dcim.site", { name: "gone" })
    await request.delete("dcim.site", gone)
  })
  await writer.request((request) => request.delete("dcim.site", site))
  await writer.deleteUser("alice")
}
