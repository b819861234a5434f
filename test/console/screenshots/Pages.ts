/** The pages of which `npm run screenshots` takes pictures: a page is one entry. */

interface Page {
  /** Name of its pictures. */
  readonly name: string
  readonly path: string
  /** Whether a visitor without a session sees it. */
  readonly isPublic?: boolean
  /** Whether its picture stands in the README. */
  readonly isInReadme?: boolean
}

/** The demo inventory gives its objects the same ids each time. */
export const pages: ReadonlyArray<Page> = [
  { name: "login", path: "/login/", isPublic: true },
  { name: "home", path: "/", isInReadme: true },
  { name: "list", path: "/dcim/devices/", isInReadme: true },
  { name: "filtered-list", path: "/ipam/prefixes/?status=active&ordering=-prefix" },
  { name: "object", path: "/dcim/devices/1/", isInReadme: true },
  { name: "add", path: "/dcim/devices/add/" },
  { name: "edit", path: "/dcim/devices/1/edit/" },
  { name: "delete", path: "/dcim/sites/1/delete/" },
  { name: "changes", path: "/extras/object-changes/" },
  { name: "search", path: "/search/?q=switch" },
  { name: "api", path: "/api/dcim/sites/1/" },
  { name: "api-refused", path: "/api/dcim/sites/?status=nowhere" },
  { name: "template-help", path: "/help/templates/" },
  { name: "webhook-add", path: "/extras/webhooks/add/" },
  { name: "not-found", path: "/dcim/devices/99999999/" }
]
