/** The account of an entry, by the attributes of several directories. */
import { describe, expect, it } from "vitest"
import { accountIn, isDisabled, subjectValues, subjectIn } from "../../../src/auth/ldap/LdapEntry.ts"

const uuid = "5b1c8f0e-0000-1041-9a05-7d0b8f1c2d3e"
const ana = { dn: "uid=ana,dc=example", uid: "ana", entryUUID: uuid, mail: ["ana@example.org", "a@b"], sn: "Ruiz" }

describe("an account", () => {
  it("has the identifier, the name and the person of its entry", () => {
    expect(accountIn({ ...ana, givenName: [] }, "uid")).toEqual({
      ...{ issuer: "ldap", subject: uuid, name: "ana", email: "ana@example.org", isEmailVerified: false },
      ...{ firstName: "", lastName: "Ruiz", groups: undefined }
    })
  })

  it("is found whatever the case of the attributes", () => {
    expect(accountIn({ UID: "ana", ENTRYUUID: uuid }, "uId")).toMatchObject({ subject: uuid, name: "ana" })
  })

  it("drops texts that cannot be stored", () => {
    const odd = { ...ana, mail: "no address", givenName: "a\u200bb", sn: "x".repeat(200) }
    expect(accountIn(odd, "uid")).toMatchObject({ email: "", firstName: "", lastName: "" })
  })

  it.each([
    [{ ...ana, entryUUID: [] }, "its entry shows none of the attributes entryUUID"],
    [{ ...ana, entryUUID: "a b" }, "its entry shows none of the attributes"],
    [{ ...ana, entryUUID: [], objectGUID: Buffer.from("short") }, "its entry shows none of the attributes"],
    [{ ...ana, uid: [] }, "its entry has no uid"],
    [{ ...ana, uid: "" }, "its entry has no uid"],
    [{ ...ana, uid: "a\u202ena" }, "its user name has invisible characters"]
  ])("is refused for %j", (entry, words) => {
    expect(accountIn(entry, "uid")).toContain(words)
  })
})

describe("an identifier", () => {
  const guid = Buffer.from("00112233445566778899aabbccddeeff", "hex")

  it("of Active Directory is written in hexadecimal", () => {
    expect(subjectIn({ objectGUID: guid })).toBe(guid.toString("hex"))
  })

  it("finds its entry again", () => {
    const texts = (value: string) =>
      ["entryUUID", "nsUniqueId", "ipaUniqueID"].map((attribute) => ({ attribute, value }))
    expect(subjectValues(uuid)).toEqual(texts(uuid))
    const hex = guid.toString("hex")
    expect(subjectValues(hex)).toEqual([...texts(hex), { attribute: "objectGUID", value: guid }])
  })
})

it.each([
  [{}, false],
  [{ userAccountControl: "512" }, false],
  [{ userAccountControl: "514" }, true],
  [{ userAccountControl: "66050" }, true],
  [{ nsAccountLock: "TRUE" }, true],
  [{ nsAccountLock: "false" }, false],
  [{ pwdAccountLockedTime: "000001010000Z" }, true],
  // A lock that ends by itself.
  [{ pwdAccountLockedTime: "20261128000000Z" }, false]
])("an account with %j is disabled: %s", (entry, disabled) => {
  expect(isDisabled(entry)).toBe(disabled)
})
