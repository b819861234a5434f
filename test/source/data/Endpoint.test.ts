/** Endpoints of object types: by the declarations, and in hostile answers of an API. */
import { describe, expect, it } from "vitest"
import {
  apiBase,
  endpointInRoot,
  endpointInTypes,
  knownEndpoint,
  namesOfType,
  pluginRoot
} from "../../../src/source/data/Endpoint.ts"

describe("the endpoint of a type", () => {
  it.each([
    ["dcim.site", "dcim/sites/"],
    ["ipam.ipaddress", "ipam/ip-addresses/"],
    ["ipam.l2vpn", "ipam/l2vpns/"],
    ["vpn.l2vpn", "vpn/l2vpns/"],
    ["auth.user", "users/users/"],
    ["netbox_bgp.bgpsession", undefined]
  ])("%s is known by the declarations: %s", (type, path) => {
    expect(knownEndpoint(type)).toBe(path)
  })

  it.each([
    ["/api/plugins/bgp/session/", "plugins/bgp/session/"],
    ["/netbox/api/core/data-sources/", "core/data-sources/"],
    ["https://elsewhere.example/api/dcim/sites/", "dcim/sites/"],
    ["/api/../../admin/", undefined],
    ["/api/dcim/sites/?x=/", undefined],
    ["/api/sites", undefined],
    [null, undefined],
    [7, undefined]
  ])("is read of rest_api_endpoint as a path alone: %s", (endpoint, path) => {
    const other = { app_label: "a", model: "c", rest_api_endpoint: "/api/a/cs/" }
    const answer = { results: [null, other, { app_label: "a", model: "b", rest_api_endpoint: endpoint }] }
    expect(endpointInTypes(answer, ["a", "b"])).toBe(path)
  })

  it("is no name that the answer has for another type, or outside of a list", () => {
    const results = [{ app_label: "a", model: "c", rest_api_endpoint: "/api/a/cs/" }]
    expect(endpointInTypes({ results }, ["a", "b"])).toBeUndefined()
    expect(endpointInTypes({ results: "x" }, ["a", "b"])).toBeUndefined()
    expect(endpointInTypes("<html>", ["a", "b"])).toBeUndefined()
  })

  it("is found among the endpoints of an app by the plural of the model", () => {
    const answer = { "bgp-sessions": "http://evil.example/", policies: "", switches: "", "../x": "" }
    expect(endpointInRoot(answer, "plugins/bgp/", "bgpsession")).toBe("plugins/bgp/bgp-sessions/")
    expect(endpointInRoot(answer, "plugins/bgp/", "policy")).toBe("plugins/bgp/policies/")
    expect(endpointInRoot(answer, "plugins/bgp/", "switch")).toBe("plugins/bgp/switches/")
    expect(endpointInRoot(answer, "plugins/bgp/", "community")).toBeUndefined()
    expect(endpointInRoot([], "plugins/bgp/", "community")).toBeUndefined()
  })

  it("of a plugin is below its base URL, with or without the prefix of its name", () => {
    expect(pluginRoot({ "installed-plugins": "", bgp: "" }, "netbox_bgp")).toBe("plugins/bgp/")
    expect(pluginRoot({ "netbox-bgp": "" }, "netbox_bgp")).toBe("plugins/netbox-bgp/")
    expect(pluginRoot({ dns: "" }, "netbox_bgp")).toBeUndefined()
  })
})

it.each([
  ["https://netbox.example", "https://netbox.example"],
  ["https://netbox.example/", "https://netbox.example"],
  ["https://netbox.example/base/api/?x#y", "https://netbox.example/base"],
  ["https://user:secret@netbox.example/", "https://netbox.example"],
  ["netbox.example", undefined],
  ["file:///etc", undefined]
])("the address of the API of %s is %s", (text, base) => {
  expect(apiBase(text)).toBe(base)
})

it.each(["site", "dcim.site.x", "dcim.", "dcim.a/b", "dcim.site?x=1", "3:dcim.site"])("%s is no type", (type) => {
  expect(namesOfType(type)).toBeUndefined()
})
