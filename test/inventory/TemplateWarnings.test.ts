/** Names in templates that no event has. */
import { expect, it } from "vitest"
import { templateWarnings } from "../../src/inventory/derive/represent/TemplateWarnings.ts"

const device = ["dcim.device"]

it.each<[source: string, types: ReadonlyArray<string>, messages: ReadonlyArray<string>]>([
  [
    "{{ data.site.nmae }}",
    device,
    ["1:4 Events of dcim.device have no data.site.nmae, so nothing is printed there. Did you mean data.site.name?"]
  ],
  [
    '{"a": "x",\n "b": {{ data["site"]["nmae"] | tojson }} }',
    device,
    ["2:10 Events of dcim.device have no data.site.nmae"]
  ],
  ["{% if data.stauts.value == 'active' %}{% endif %}", device, ["1:7 Events of dcim.device have no data.stauts"]],
  [
    "{{ data.zzzzzz }}",
    ["dcim.region"],
    ["1:4 Events of dcim.region have no data.zzzzzz, so nothing is printed there. data has: id, url, display, "]
  ],
  ["{{ snapshots.prechange.nmae }}", device, ["1:4 Events of dcim.device have no snapshots.prechange.nmae"]],
  [
    "{{ request.usr }}",
    device,
    ["1:4 Events of dcim.device have no request.usr, so nothing is printed there. Did you mean request.user?"]
  ],
  ["{{ data.vidd }}", ["ipam.vlan", "dcim.site"], ["1:4 Events of ipam.vlan, dcim.site have no data.vidd"]],
  // Sound ones.
  ["{{ data.site.name }} {{ data.status.value }} {{ snapshots.postchange.site }} {{ request.id }}", device, []],
  ["{{ data.vid }}", ["ipam.vlan", "dcim.site"], []],
  ["{{ data.custom_fields.anything.at_all }} {{ data.local_context_data.x }}", device, []],
  ["{{ data.name.upper() }} {{ data.items() }} {{ data.tags.0.nmae }} {{ data['name'].split('.')[0] }}", device, []],
  ["{# data.nmae #}{% raw %}{{ data.nmae }}{% endraw %} data.nmae {{ 'data.nmae' }}", device, []],
  ["{% set data = {} %}{{ data.nmae }}", device, []],
  ["{% for data in deliveries %}{{ data.nmae }}{% endfor %}", device, []],
  ["{{ other.data.nmae }} {{ mydata.nmae }} {{ data }} {{ snapshots }}", device, []],
  ["{{ data.nmae", device, []],
  ["{{ data.nmae }}", [], []],
  ["{{ data.nmae }}", ["gone.type"], []],
  ["{{ data.constructor }} {{ data.__proto__.x }}", ["gone.type"], []]
])("%s", (source, types, messages) => {
  const found = templateWarnings(types, source).map(({ line, column, message }) => `${line}:${column} ${message}`)
  expect(found).toEqual(messages.map((message) => expect.stringContaining(message)))
})

it("looks at a large hostile template in linear time, and tells a few faults", () => {
  for (const part of [
    "{{",
    "{{ data",
    "{% ",
    "{{ data.nmae }}",
    "{{data" + " ".repeat(50) + "}}",
    "{{ data[",
    "{{ 'a"
  ]) {
    expect(templateWarnings(device, part.repeat(20_000)).length).toBeLessThanOrEqual(1)
  }
  const many = Array.from({ length: 100 }, (_, at) => `{{ data.nmae${at} }}`).join("")
  expect(templateWarnings(device, many)).toHaveLength(20)
})
