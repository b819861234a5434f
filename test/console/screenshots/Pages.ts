/** The pages of which `npm run screenshots` takes pictures: a page is one entry. */
import { filledPrefix, filledRack } from "../../../bench/Inventory.ts"

interface Page {
  /** Name of its pictures. */
  readonly name: string
  readonly path: string
  /** Whether a visitor without a session sees it. */
  readonly isPublic?: boolean
  /** Whether its picture stands in the README. */
  readonly isInReadme?: boolean
}

/** The demo inventory gives its objects the same ids each time, and so does what is made beside it. */
export const pages: ReadonlyArray<Page> = [
  { name: "login", path: "/login/", isPublic: true },
  { name: "home", path: "/" },
  { name: "list", path: "/dcim/devices/" },
  { name: "filtered-list", path: "/ipam/prefixes/?status=active&ordering=-prefix" },
  { name: "object", path: "/dcim/devices/1/" },
  { name: "rack", path: "/dcim/racks/1/", isInReadme: true },
  { name: "elevations", path: "/dcim/rack-elevations/?site_id=1" },
  { name: "topology", path: "/dcim/topology/?site_id=1" },
  { name: "add", path: "/dcim/devices/add/" },
  { name: "edit", path: "/dcim/devices/1/edit/" },
  { name: "delete", path: "/dcim/sites/1/delete/" },
  { name: "changes", path: "/extras/object-changes/" },
  { name: "search", path: "/search/?q=switch" },
  { name: "api", path: "/api/dcim/sites/1/" },
  { name: "api-refused", path: "/api/dcim/sites/?status=nowhere" },
  { name: "template-help", path: "/help/templates/" },
  { name: "webhook-add", path: "/extras/webhooks/add/" },
  { name: "workbench", path: "/extras/webhooks/1/edit/", isInReadme: true },
  { name: "why", path: "/extras/webhooks/2/skipped/", isInReadme: true },
  { name: "ports-300", path: `/dcim/devices/${filledRack.device}/` },
  { name: "rack-40-devices", path: `/dcim/racks/${filledRack.rack}/` },
  { name: "trace", path: `/dcim/interfaces/${filledRack.interface}/` },
  { name: "prefix-100000", path: `/ipam/prefixes/${filledPrefix}/` },
  { name: "sources", path: "/extras/sources/" },
  { name: "source", path: "/extras/sources/1/" },
  { name: "source-deliveries", path: "/extras/sources/1/deliveries/" },
  { name: "source-webhook", path: "/extras/webhooks/3/" },
  { name: "sign-ins", path: "/users/sign-ins/" },
  { name: "sessions", path: "/user/sessions/" },
  { name: "factors", path: "/user/factors/" },
  { name: "not-found", path: "/dcim/devices/99999999/" }
]
