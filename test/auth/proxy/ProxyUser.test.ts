/** The user whom a trusted proxy names in headers: spellings, repetitions, and names that are refused. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Denied } from "../../../src/auth/Denied.ts"
import { headerName, proxyProblem } from "../../../src/auth/proxy/ProxyRules.ts"
import { proxyMark, proxyUserIn } from "../../../src/auth/proxy/ProxyUser.ts"

const names = { user: "x-remote-user", groups: "x-remote-groups", separator: "|" }

/** The result for these headers, whose values are bytes in UTF-8, or the text of the refusal. */
const read = (...headers: ReadonlyArray<readonly [string, string]>) => {
  const raw = headers.flatMap(([name, value]) => [name, Buffer.from(value).toString("latin1")])
  const found = proxyUserIn(["Host", "a", ...raw], names)
  return found instanceof Denied ? found.detail : found
}

describe("the name of a header", () => {
  it.each([
    ["HTTP_REMOTE_USER", "remote-user"],
    ["HTTP_X_REMOTE_USER", "x-remote-user"],
    ["X-Remote-User", "x-remote-user"],
    ["x_remote_user", "x-remote-user"],
    ["X-Forwarded-Preferred-Username", "x-forwarded-preferred-username"],
    ["Http-Thing", "http-thing"]
  ])("may be spelled as in HTTP or as in WSGI: %s", (text, name) => {
    expect(headerName(text)).toBe(name)
  })
})

describe("the user of a request", () => {
  it.each(["X-Remote-User", "x-remote-user", "X_Remote_User", "X_REMOTE-user"])("is found in %s", (name) => {
    expect(read([name, "ann"])).toEqual({ name: "ann", groups: [""] })
  })

  it("is absent without the header, whatever else is sent", () => {
    expect(read(["X-Remote-Groups", "admins"])).toBeUndefined()
    expect(read(["X-Remote-Users", "ann"], ["X--Remote-User", "ann"], ["Remote-User", "ann"])).toBeUndefined()
    expect(read(["Other", "X-Remote-User"], ["ann", "b"])).toBeUndefined()
  })

  it("is refused if a header arrives twice, in any spellings", () => {
    for (const second of ["X-Remote-User", "x_remote_user"])
      expect(read(["X-Remote-User", "ann"], [second, "ann"])).toMatch(/arrived twice. The proxy must replace/)
    expect(read(["X-Remote-User", "ann"], ["X-Remote-Groups", "a"], ["X_Remote_Groups", "b"])).toMatch(/arrived twice/)
    expect(read(["X-Remote-Groups", "a"], ["X_Remote_Groups", "b"])).toMatch(/arrived twice/)
  })

  it.each([
    ["", "is empty"],
    ["   ", "is empty"],
    ["(null)", "is (null): the proxy found no user"],
    ["a".repeat(151), "has more than 150 characters"],
    ["ann\0", "has characters that cannot be stored"],
    ["an\u200bn", "has invisible characters"],
    ["ann\u202e", "has invisible characters"],
    ["a\ufeffnn", "has invisible characters"],
    ["ann\tbob", "has invisible characters"],
    ["ann\u00a0b", "has invisible characters"]
  ])("is refused in words if the name is hostile: %j", (name, fault) => {
    expect(read(["X-Remote-User", name])).toBe(`The user name in the header of the proxy ${fault}.`)
  })

  it("has a name of any language in form NFC, and is refused in another encoding", () => {
    expect(read(["X-Remote-User", "Zoe\u0308 \u5b57"])).toEqual({ name: "Zo\u00eb \u5b57", groups: [""] })
    const refused = proxyUserIn(["X-Remote-User", "Zo\u00eb"], names)
    expect(refused).toMatchObject({ detail: "The user name in the header of the proxy is not in UTF-8." })
  })

  it("has the groups between separators, and none where groups follow no header", () => {
    expect(read(["X-Remote-User", "ann"], ["X-Remote-Groups", "a|b c|"])).toMatchObject({ groups: ["a", "b c", ""] })
    const without = proxyUserIn(["X-Remote-User", "ann", "X-Remote-Groups", "a"], { ...names, groups: undefined })
    expect(without).toEqual({ name: "ann", groups: undefined })
  })

  it("has a mark that differs wherever name or groups differ", () => {
    const users = fc.record({
      name: fc.string(),
      groups: fc.option(fc.array(fc.constantFrom("a", "b", "a|b", '","')), { nil: undefined })
    })
    fc.assert(
      fc.property(users, users, (one, other) => {
        expect(proxyMark(one) === proxyMark(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      })
    )
    expect(proxyMark(undefined)).toBeNull()
  })
})

describe("the options", () => {
  const options = {
    remoteAuthEnabled: true,
    trustedProxies: ["10.0.0.1"],
    remoteAuthHeader: "HTTP_REMOTE_USER",
    remoteAuthCreateUsers: false,
    remoteAuthGroupSeparator: "|",
    remoteAuthGroupHeader: "HTTP_REMOTE_USER_GROUP",
    remoteAuthGroupSync: false,
    remoteAuthSuperuserGroups: [],
    remoteAuthSuperusers: [],
    remoteAuthStaffGroups: [],
    remoteAuthStaff: []
  }

  it.each([
    [{}, /^none$/],
    [{ remoteAuthEnabled: false, trustedProxies: [] }, /^none$/],
    [{ trustedProxies: [] }, /^REMOTE_AUTH_ENABLED: no proxy is trusted.*Set TRUSTED_PROXIES/],
    [{ trustedProxies: ["10.0.0.1", "0.0.0.0/0"] }, /^TRUSTED_PROXIES: 0\.0\.0\.0\/0 has every address/],
    [{ trustedProxies: ["::/0"] }, /^TRUSTED_PROXIES: ::\/0/],
    [{ trustedProxies: ["::ffff:0.0.0.0/96"] }, /^TRUSTED_PROXIES: ::ffff:0\.0\.0\.0\/96 has every address/],
    [{ remoteAuthHeader: "X Remote" }, /^REMOTE_AUTH_HEADER: X Remote cannot be used/],
    [{ remoteAuthHeader: "HTTP_AUTHORIZATION" }, /^REMOTE_AUTH_HEADER: HTTP_AUTHORIZATION cannot be used/],
    [{ remoteAuthGroupHeader: "Cookie" }, /^REMOTE_AUTH_GROUP_HEADER: Cookie cannot be used/],
    [{ remoteAuthGroupHeader: "Remote-User" }, /^REMOTE_AUTH_GROUP_HEADER: it is the header of REMOTE_AUTH_HEADER/],
    [{ remoteAuthSuperusers: ["ann"] }, /^REMOTE_AUTH_SUPERUSERS: it has no effect.*GROUP_SYNC_ENABLED=true/],
    [{ remoteAuthSuperusers: ["ann"], remoteAuthGroupSync: true }, /^none$/]
  ])("are refused with what to do: %j", (change, message) => {
    const problem = proxyProblem({ ...options, ...change })
    expect(problem ?? "none").toMatch(message)
  })
})
