import { expect, it } from "vitest"
import { ownPath } from "../../src/console/frame/OwnPath.ts"

it.each(["/", "/dcim/devices/7/", "/dcim/sites/?q=a&status=active", "/dcim/devices/7/?ports=eth#ports"])(
  "%s is a page of the service",
  (path) => expect(ownPath(path)).toBe(path)
)

it.each([
  null,
  ...[
    "",
    "dcim/",
    "//evil.example/",
    "/\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/a\nb",
    "/å/"
  ],
  "/\t/evil.example"
])("%j is none", (path) => expect(ownPath(path)).toBeUndefined())

it("leads nowhere else by dots", () => expect(ownPath("/..//evil.example/")).toBeUndefined())
