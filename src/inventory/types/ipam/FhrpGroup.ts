import { choice, defineObjectType, integer, labels, text } from "../../ObjectType.ts"

const protocols = {
  vrrp2: "VRRPv2",
  vrrp3: "VRRPv3",
  carp: "CARP",
  clusterxl: "ClusterXL",
  hsrp: "HSRP",
  glbp: "GLBP",
  other: "Other"
}

/** Routers that share addresses, which are assigned to the group itself. */
export default defineObjectType({
  app: "ipam",
  name: "fhrpgroup",
  plural: "fhrp-groups",
  label: "FHRP group",
  // Few groups have a name.
  identity: ["group_id", "protocol", "name"],
  knownBy: ["name"],
  fields: {
    name: text({ max: 100, optional: true }),
    protocol: choice(protocols, { bare: true }),
    group_id: integer({ min: 0, max: 32_767 }),
    auth_type: choice({ plaintext: "Plaintext", md5: "MD5" }, { optional: true, bare: true }),
    auth_key: text({ max: 255, optional: true, help: "Shown to everyone who may view the group." }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  pointedBy: {
    ip_addresses: {
      type: "ipam.ipaddress",
      field: "assigned_object_id",
      where: "c.assigned_object_type = 'ipam.fhrpgroup' and c.assigned_object_id = t.id",
      several: true
    }
  },
  asked: {
    // Groups with an address in the network of one of these.
    related_ip: {
      of: "ipam.ipaddress",
      sql: (_, types, from, ids) => {
        const addresses = from(types.get("ipam.ipaddress")!)
        return `t.id = any (array(select a.assigned_object_id from ${addresses} r join ${addresses} a
          on host(a.address)::inet <<= network(r.address) and a.vrf_id is not distinct from r.vrf_id
         where r.id = any (${ids}) and a.assigned_object_type = 'ipam.fhrpgroup'))`
      }
    }
  },
  search: ["name", "description", "comments"],
  ordering: ["protocol", "group_id"],
  brief: ["protocol", "group_id"],
  display: ({ name, protocol, group_id: group }) => `${name === "" ? "" : `${name} `}${protocols[protocol]}: ${group}`
})
