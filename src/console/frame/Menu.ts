/** The menu: the lists of the object types of which the reader may see some, in groups. */
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import type { Visible } from "../../inventory/derive/filter/Where.ts"
import { isNothing } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"
import { icon } from "./Icon.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

interface Group {
  readonly title: string
  readonly icon: IconName
  readonly apps: ReadonlyArray<string>
}

/** Groups of the inventory, in their order. A type that declares none belongs to the group of its app. */
const inventoryGroups: ReadonlyArray<Group> = [
  { title: "Organization", icon: "building", apps: ["tenancy"] },
  { title: "Devices", icon: "server", apps: ["dcim"] },
  { title: "Components", icon: "stack-2", apps: [] },
  { title: "Component templates", icon: "copy", apps: [] },
  { title: "Connections", icon: "plug-connected", apps: [] },
  { title: "IPAM", icon: "network", apps: ["ipam"] },
  { title: "Virtualization", icon: "device-desktop", apps: ["virtualization"] },
  { title: "Wireless", icon: "wifi", apps: ["wireless"] },
  { title: "Circuits", icon: "arrows-exchange", apps: ["circuits"] },
  { title: "Power", icon: "bolt", apps: [] },
  { title: "Contacts", icon: "address-book", apps: [] },
  { title: "Provisioning", icon: "file-code", apps: [] }
]

/** All groups. */
const groups: ReadonlyArray<Group> = [
  ...inventoryGroups,
  { title: "Customization", icon: "adjustments", apps: ["extras"] },
  { title: "Logging", icon: "activity", apps: [] },
  { title: "System", icon: "settings", apps: [] },
  { title: "Admin", icon: "shield", apps: ["users"] }
]

interface OwnPage {
  readonly path: string
  readonly title: string
  /** Readers who may view objects of the type see the entry. */
  readonly type: ObjectType
  /** Whether one has to have access to the state of the service too. */
  readonly isWatched?: boolean
}

const webhookType = objectType("extras.webhook")

/** Pages beside the lists of types, by their group. */
const ownPages: Readonly<Record<string, ReadonlyArray<OwnPage>>> = {
  Organization: [{ path: "/dcim/rack-elevations/", title: "Rack elevations", type: objectType("dcim.rack") }],
  Connections: [{ path: "/dcim/topology/", title: "Topology", type: objectType("dcim.device") }],
  Logging: [{ path: "/logging/journeys/", title: "Journeys", type: objectType("extras.objectchange") }],
  System: [
    { path: "/system/background-tasks/", title: "Background Tasks", type: webhookType },
    { path: "/system/capture/", title: "Capture", type: webhookType, isWatched: true },
    { path: "/system/moves/", title: "Moves", type: webhookType, isWatched: true },
    { path: "/system/status/", title: "Status", type: webhookType, isWatched: true }
  ]
}

const other = { title: "Other", icon: "folder", apps: [] } as const

/** The title of the menu's group of the type. */
export const groupOf = ({ menu, app }: ObjectType): string =>
  menu ?? groups.find(({ apps }) => apps.includes(app))?.title ?? other.title

/** The entries by group, in the order of the menu. */
export const inMenuOrder = <A>(byGroup: ReadonlyMap<string, A>): ReadonlyArray<readonly [group: string, A]> =>
  [...groups, other].flatMap(({ title }) => {
    const found = byGroup.get(title)
    return found === undefined ? [] : [[title, found] as const]
  })

/** Whether the menu and the home page show the group: `INVENTORY=off` leaves out those of the inventory. */
export const isGroupShown = (title: string, inventory: "on" | "off"): boolean =>
  inventory === "on" || !inventoryGroups.some((group) => group.title === title)

const typesByGroup = Map.groupBy(registry.values(), groupOf)

const link = perType((type) => html`<li><a href="${pathOf(type)}">${pluralOf(type)}</a></li>`)

const currentLink = perType(
  (type) => html`<li><a href="${pathOf(type)}" aria-current="page">${pluralOf(type)}</a></li>`
)

interface MenuParts {
  readonly visible: Visible
  /** The page that is shown; its group is open. */
  readonly path: string
  /** Whether the reader has access to the service's state. */
  readonly watches: boolean
  readonly inventory: "on" | "off"
}

export const menu = ({ visible, path, watches, inventory }: MenuParts): Html => {
  const shown = [...groups, other].flatMap((group) => {
    if (!isGroupShown(group.title, inventory)) return []
    const types = (typesByGroup.get(group.title) ?? []).filter((type) => !isNothing(visible(type)))
    const own = (ownPages[group.title] ?? []).filter(
      ({ type, isWatched = false }) => !isNothing(visible(type)) && (watches || !isWatched)
    )
    return types.length + own.length === 0 ? [] : [{ ...group, types, own }]
  })
  return html`<ul class="side-nav">
    ${shown.map(({ title, icon: name, types, own }) => {
      const paths = [...types.map((type) => pathOf(type)), ...own.map((page) => page.path)]
      const isOpen = paths.some((each) => path.startsWith(each))
      return html`<li>
        <details${isOpen ? html` open` : ""}>
          <summary>${icon(name)}<span>${title}</span>${icon("chevron-down", "chev")}</summary>
          <ul>
            ${types.map((type) => (path === pathOf(type) ? currentLink(type) : link(type)))}
            ${own.map((page) => html`<li><a href="${page.path}" ${page.path === path ? html` aria-current="page"` : ""}>${page.title}</a></li>`)}
          </ul>
        </details>
      </li>`
    })}
  </ul>`
}
