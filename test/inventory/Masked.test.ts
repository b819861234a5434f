/** The state of an object without what a reader may not see. */
import { describe, expect, it } from "vitest"
import { maskedState, mentionKey, unknownId, visitMentions } from "../../src/inventory/derive/represent/Masked.ts"

const nested = (type: string, id: number, more: object = {}) => ({
  ...{ id, url: `http://here/api/dcim/${type}/${id}/`, display: `hidden ${id}` },
  ...more
})

const device = nested("devices", 7, {
  display: "MX480",
  name: null,
  asset_tag: null,
  device_type: nested("device-types", 3)
})

const wire = nested("interfaces", 5, {
  ...{ display: "eth0", name: "eth0", label: "", mark_connected: false, device: nested("devices", 7, { name: null }) },
  ...{
    cable: nested("cables", 9),
    cable_end: "A",
    link_peers: [nested("interfaces", 6)],
    link_peers_type: "dcim.interface"
  },
  ...{ connected_endpoints: [nested("interfaces", 6)], connected_endpoints_reachable: true, _occupied: true }
})

const context = {
  ...{ id: 4, url: "http://here/api/extras/config-contexts/4/", display: "NTP", name: "NTP" },
  tags: ["edge", "core"]
}

const mentionsOf = (state: Parameters<typeof visitMentions>[0]): ReadonlyArray<string> => {
  const found = new Set<string>()
  visitMentions(state, (...mention) => void found.add(mentionKey(...mention)))
  return [...found].toSorted()
}

describe("the mentions of a state", () => {
  it("are nested objects, those that values are made of, and the tags of its snapshots", () => {
    expect(mentionsOf({ data: device, snapshots: { prechange: { tags: ["Core"] }, postchange: null } })).toEqual([
      "dcim.devicetype 3",
      'extras.tag "Core"'
    ])
    expect(mentionsOf({ data: wire })).toEqual([
      "dcim.cable 9",
      "dcim.device 7",
      `dcim.devicetype ${unknownId}`,
      "dcim.interface 6"
    ])
  })

  it("are tags by their slugs where a slug alone is shown", () => {
    expect(mentionsOf({ data: context, snapshots: { prechange: null, postchange: { tags: [1, 2] } } })).toEqual([
      'extras.tag slug "core"',
      'extras.tag slug "edge"'
    ])
  })

  it("has no type of a device that has a name", () => {
    expect(mentionsOf({ data: { interface: nested("devices", 7, { name: "core" }) } })).toEqual(["dcim.device 7"])
  })
})

describe("the masked state", () => {
  it("shows a device without a name by its id where its type is hidden", () => {
    const { data } = maskedState({ data: device }, new Set(["dcim.devicetype 3"]))
    expect(data).toEqual({ ...device, display: "#7", device_type: { ...nested("device-types", 3), display: "#3" } })
  })

  it("leaves out the slugs of hidden tags, and of no others", () => {
    const hidden = new Set([mentionKey("extras.tag", "edge", "slug"), mentionKey("extras.tag", "core")])
    expect(maskedState({ data: context }, hidden).data).toEqual({ ...context, tags: ["core"] })
  })

  it("shows nothing behind a hidden cable", () => {
    const { data } = maskedState({ data: wire }, new Set(["dcim.cable 9", `dcim.devicetype ${unknownId}`]))
    expect(data).toEqual({
      ...wire,
      ...{ device: nested("devices", 7, { name: null, display: "#7" }), cable: nested("cables", 9, { display: "#9" }) },
      ...{ cable_end: "", link_peers: [], link_peers_type: null, connected_endpoints: null },
      connected_endpoints_reachable: null
    })
  })

  it("shows nothing behind a hidden wireless link, and everything of an interface without one", () => {
    const link = { id: 4, url: "http://here/api/wireless/wireless-links/4/", display: "lab" }
    const radio = { ...wire, cable: null, cable_end: "", wireless_link: link, link_peers_type: null }
    expect(mentionsOf({ data: radio })).toContain("wireless.wirelesslink 4")
    const { data } = maskedState({ data: radio }, new Set(["wireless.wirelesslink 4"]))
    expect(data).toMatchObject({ link_peers: [], connected_endpoints: null, wireless_link: { display: "#4" } })
    const plain = { ...wire, wireless_link: null }
    expect(mentionsOf({ data: plain }).filter((mention) => mention.startsWith("wireless."))).toEqual([])
  })

  it("leaves out hidden names of tags, and keeps what hides nothing", () => {
    const state = { data: device, snapshots: { prechange: { tags: ["Core", "Edge"] }, postchange: { tags: ["Core"] } } }
    const masked = maskedState(state, new Set([mentionKey("extras.tag", "Edge")]))
    expect(masked.snapshots).toEqual({ prechange: { tags: ["Core"] }, postchange: { tags: ["Core"] } })
    expect(masked.data).toBe(device)
    expect(masked.snapshots.postchange).toBe(state.snapshots.postchange)
  })
})
