/** The answers of a NetBox 4.2 with objects of the types whose fields other releases name otherwise. */
import { choice, dcim, field, nested, prefix, rule, stamps, usual } from "./Objects.ts"

export const newer = {
  version: "4.2.9-Docker-3.2.1",
  pageMax: 2,
  objects: {
    "extras/custom-fields": [
      field(1, "owner", "object", { related_object_type: "tenancy.tenant" }),
      field(2, "colour", "select", { choice_set: nested(3) }),
      field(3, "raw", "json", {})
    ],
    "extras/custom-field-choice-sets": [
      {
        id: 3,
        ...usual,
        name: "Colours",
        base_choices: null,
        extra_choices: [
          ["red", "Red"],
          ["blue", "Blue"]
        ]
      }
    ],
    "extras/tags": [
      { id: 9, ...stamps, name: "core", slug: "core", color: "00ff00", description: "", object_types: [] }
    ],
    "extras/webhooks": [
      {
        ...{
          id: 4,
          ...usual,
          name: "hook",
          payload_url: "https://example.com/",
          http_method: "POST",
          secret: "hidden"
        },
        ...{ http_content_type: "application/json", additional_headers: "", body_template: "", ssl_verification: true }
      }
    ],
    "extras/event-rules": [rule(11, "sites", {}), rule(12, "script", { action_type: choice("script") })],
    "extras/config-contexts": [
      {
        id: 1,
        ...usual,
        name: "ntp",
        weight: 1000,
        is_active: true,
        tags: ["core"],
        sites: [nested(1)],
        data: { a: 1 }
      }
    ],
    ...dcim,
    "ipam/prefixes": [
      prefix(1, { scope_type: "dcim.site", scope_id: 1, scope: nested(1) }),
      prefix(2, { scope_type: "dcim.location", scope_id: 5, scope: nested(5) }),
      prefix(3, { scope_type: "dcim.region", scope_id: 1, scope: nested(1) }),
      prefix(4, {})
    ],
    "ipam/vlan-groups": [
      {
        id: 1,
        ...usual,
        name: "G",
        slug: "g",
        scope_type: "dcim.site",
        scope_id: 1,
        vid_ranges: [
          [10, 20],
          [30, 40]
        ]
      }
    ],
    "tenancy/tenants": [{ id: 1, ...usual, name: "T", slug: "t", group: null }],
    "users/users": [
      {
        id: 1,
        url: "u",
        display: "ada",
        username: "ada",
        email: "",
        is_staff: true,
        is_active: true,
        groups: [nested(2)],
        date_joined: "2020-01-01T00:00:00Z",
        last_login: null,
        permissions: [nested(6)],
        first_name: "",
        last_name: ""
      }
    ],
    "users/groups": [{ id: 2, url: "u", display: "d", name: "staff", description: "", permissions: [] }],
    "users/permissions": [
      {
        id: 6,
        url: "u",
        display: "d",
        name: "see",
        description: "",
        enabled: true,
        object_types: ["dcim.site"],
        actions: ["view"],
        constraints: null,
        groups: [nested(2)],
        users: [nested(1)]
      }
    ],
    "users/tokens": [{ id: 1, url: "u", user: nested(1) }],
    "virtualization/interfaces": [],
    "virtualization/cluster-types": [{ id: 1, ...usual, name: "K", slug: "k" }],
    "virtualization/clusters": [
      { id: 1, ...usual, name: "C", type: nested(1), status: choice("active"), scope_type: "dcim.site", scope_id: 1 }
    ],
    "virtualization/virtual-machines": [
      {
        id: 1,
        ...usual,
        name: "vm",
        status: choice("active"),
        site: nested(1),
        cluster: nested(1),
        serial: "",
        disk: 20_500
      }
    ],
    "vpn/l2vpns": [
      {
        id: 1,
        ...usual,
        name: "L",
        slug: "l",
        type: choice("vxlan"),
        identifier: 5,
        import_targets: [],
        export_targets: []
      }
    ],
    "vpn/tunnels": [{ id: 3, ...usual, name: "tunnel", status: choice("active") }]
  }
}
