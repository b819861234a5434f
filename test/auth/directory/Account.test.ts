/** The user of an account, decided from what the database has. */
import { describe, expect, it } from "vitest"
import { type Candidate, decide } from "../../../src/auth/directory/Account.ts"
import { profileOf } from "../../../src/auth/oidc/Profile.ts"

const user = (rest: Partial<Candidate> = {}): Candidate => ({
  ...{ id: "7", username: "ana", email: "Ana@example.org", is_active: true, has_password: true, is_bound: false },
  ...rest
})
const ana = { name: "ana", email: "ana@example.org", isEmailVerified: true }
const never = { adopts: "never" } as const
const adopts = { adopts: "verified-email" } as const

describe("an account", () => {
  it("belongs to its user whatever names it has", () => {
    expect(decide({ ...ana, name: "admin" }, user(), [], never)).toEqual({ kind: "signIn", user: user() })
  })

  it("becomes a user if nobody has its name", () => {
    expect(decide(ana, undefined, [], never)).toEqual({ kind: "create" })
  })

  it.each([
    ["without the option", never, ana, [user()], "NameTaken"],
    ["with an address that is not verified", adopts, { ...ana, isEmailVerified: false }, [user()], "NameTaken"],
    ["with another address", adopts, { ...ana, email: "eve@example.org" }, [user()], "NameTaken"],
    ["without an address", adopts, { ...ana, email: "" }, [user({ email: "" })], "NameTaken"],
    ["of two users", adopts, ana, [user(), user({ id: "8", username: "ANA" })], "NameTaken"],
    ["that has an account already", adopts, ana, [user({ is_bound: true })], "OtherIdentity"],
    ["that is inactive", adopts, ana, [user({ is_active: false })], "InactiveUser"]
  ] as const)("does not take over a user %s", (_, option, profile, rivals, reason) => {
    expect(decide(profile, undefined, rivals, option)).toMatchObject({ kind: "refuse", reason })
  })

  it("takes over the user of its name with the option and the same verified address", () => {
    expect(decide(ana, undefined, [user()], adopts)).toEqual({ kind: "adopt", user: user() })
  })

  it("of an inactive user is refused", () => {
    expect(decide(ana, user({ is_active: false }), [], never)).toMatchObject({ reason: "InactiveUser" })
  })
})

describe("a profile", () => {
  const claims = { iss: "https://login.example", sub: "1", iat: 1000 }

  it("has the first name that the provider gives, and no other claim that cannot be stored", () => {
    const name = (rest: object) => (profileOf({ ...claims, ...rest }, undefined, 1000) as { name: string }).name
    expect(name({ preferred_username: "ana", email: "a@b" })).toBe("ana")
    expect([name({ preferred_username: 7, email: "a@b" }), name({})]).toEqual(["a@b", "1"])
    const odd = {
      given_name: "a\u200bb",
      family_name: "x".repeat(200),
      email: "no address",
      email_verified: "true",
      sid: 7
    }
    expect(profileOf({ ...claims, ...odd, preferred_username: "ana" }, undefined, 1000)).toMatchObject({
      ...{ firstName: "", lastName: "", email: "", isEmailVerified: false, session: undefined, groups: undefined }
    })
  })

  it("has groups where a claim is named: none where it is absent, one where it is a text", () => {
    const groups = (rest: object) => (profileOf({ ...claims, ...rest }, "groups", 1000) as { groups: unknown }).groups
    expect([groups({}), groups({ groups: "a" }), groups({ groups: ["a", "b"] })]).toEqual([[], ["a"], ["a", "b"]])
  })
})
