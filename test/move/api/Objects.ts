/** Objects as NetBox 4.2 shows them: fields that all have, and the infrastructure. */
export const stamps = { created: "2024-01-02T03:04:05.678Z", last_updated: "2024-02-03T04:05:06.789Z" }
export const usual = {
  ...stamps,
  url: "u",
  display_url: "u",
  display: "d",
  tags: [],
  custom_fields: {},
  description: ""
}
export const nested = (id: number, more = {}) => ({ id, url: `http://x/${id}/`, display: "d", ...more })
export const choice = (value: unknown) => ({ value, label: `The ${String(value)}` })

export const device = (id: number, more: object) => ({
  ...{ id, name: `device ${id}`, ...usual, device_type: nested(1), role: nested(1), tenant: null, platform: null },
  ...{ site: nested(1), location: null, rack: null, position: null, face: null, status: choice("active") },
  ...{ parent_device: null, primary_ip: null, primary_ip4: null, virtual_chassis: null, console_port_count: 0 },
  ...more
})

export const port = (id: number, more: object) => ({
  ...{ id, ...usual, device: nested(1), name: `eth${id}`, type: choice("1000base-t"), enabled: true, poe_type: null },
  ...{ mac_address: null, primary_mac_address: null, mac_addresses: [], tagged_vlans: [], vdcs: [], wireless_lans: [] },
  ...{ cable: null, cable_end: "", link_peers: [], link_peers_type: null, _occupied: false, ...more }
})

export const prefix = (id: number, more: object) => ({
  ...{ id, ...usual, prefix: `10.${id}.0.0/16`, status: choice("active"), family: choice(4), children: 0, _depth: 0 },
  ...{ scope_type: null, scope_id: null, scope: null, vrf: null, tenant: null, vlan: null, role: null, ...more }
})

export const field = (id: number, name: string, type: string, more: object) => ({
  ...{ id, ...usual, name, type: choice(type), object_types: ["dcim.device"], related_object_type: null, label: "" },
  ...{ required: false, weight: 100, search_weight: 1000, filter_logic: choice("loose"), choice_set: null },
  ...{ ui_visible: choice("if-set"), ui_editable: choice("yes"), is_cloneable: false, default: null, ...more }
})

export const rule = (id: number, name: string, more: object) => ({
  ...{ id, ...usual, name, enabled: true, object_types: ["dcim.site"], event_types: ["object_created", "job_failed"] },
  ...{ conditions: null, action_type: choice("webhook"), action_object_type: "extras.webhook", action_object_id: 4 },
  ...{ action_object: nested(4), action_data: null, comments: "", ...more }
})

export const dcim = {
  "dcim/manufacturers": [{ id: 1, ...usual, name: "Maker", slug: "maker" }],
  "dcim/device-types": [
    {
      id: 1,
      ...usual,
      manufacturer: nested(1),
      model: "M",
      slug: "m",
      front_image: "http://x/media/m.png",
      u_height: 1.0
    }
  ],
  "dcim/device-roles": [{ id: 1, ...usual, name: "Core", slug: "core", color: "ff0000" }],
  "dcim/regions": [{ id: 1, ...usual, name: "North", slug: "north", parent: null, _depth: 0 }],
  "dcim/sites": [{ id: 1, ...usual, name: "A", slug: "a", status: choice("active"), region: nested(1), asns: [] }],
  "dcim/locations": [{ id: 5, ...usual, name: "Hall", slug: "hall", site: nested(1), status: choice("active") }],
  "dcim/racks": [
    {
      ...{
        id: 1,
        ...usual,
        name: "R1",
        site: nested(1),
        status: choice("active"),
        form_factor: choice("4-post-frame")
      },
      ...{ rack_type: null, starting_unit: 5, u_height: 42, width: choice(19) }
    }
  ],
  "dcim/rack-reservations": [{ id: 1, ...usual, rack: nested(1), units: [8, 7], user: nested(1), description: "r" }],
  "dcim/devices": [
    device(1, { tags: [nested(9)], custom_fields: { owner: nested(1), colour: "red", raw: { id: 7, url: "kept" } } }),
    device(2, { rack: nested(1), position: 7.0, face: choice("front") }),
    device(3, {})
  ],
  "dcim/interfaces": [
    port(1, { primary_mac_address: nested(21), mac_address: "00:00:5E:00:53:01" }),
    port(2, { device: nested(2) })
  ],
  "dcim/mac-addresses": [
    {
      id: 21,
      ...usual,
      mac_address: "00:00:5E:00:53:01",
      assigned_object_type: "dcim.interface",
      assigned_object_id: 1
    },
    { id: 22, ...usual, mac_address: "00:00:5E:00:53:02", assigned_object_type: null, assigned_object_id: null }
  ],
  "dcim/cables": [
    {
      ...{ id: 7, ...usual, type: "cat6", status: choice("connected"), label: "", color: "" },
      a_terminations: [{ object_type: "dcim.interface", object_id: 1, object: nested(1) }],
      b_terminations: [{ object_type: "dcim.interface", object_id: 2, object: nested(2) }]
    }
  ],
  "dcim/cable-terminations": [
    {
      id: 31,
      ...stamps,
      url: "u",
      display: "d",
      cable: 7,
      cable_end: "A",
      termination_type: "dcim.interface",
      termination_id: 1
    },
    {
      id: 32,
      ...stamps,
      url: "u",
      display: "d",
      cable: 7,
      cable_end: "B",
      termination_type: "dcim.interface",
      termination_id: 2
    }
  ]
}
