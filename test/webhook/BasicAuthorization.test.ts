/** Expected headers were read off `requests` 2.34.2: `requests.Request("POST", url, headers=…).prepare()`. */
import { describe, expect, it } from "vitest"
import { withoutUserInformation } from "../../src/webhook/BasicAuthorization.ts"

describe("user information in an address", () => {
  it.each([
    ["http://u:p@h/x", "http://h/x", "Basic dTpw"],
    ["http://u:@h/", "http://h/", "Basic dTo="],
    ["http://:p@h/", "http://h/", "Basic OnA="],
    ["http://u%40:p%3a%20x@h/", "http://h/", "Basic dUA6cDogeA=="],
    ["http://u:p%C3%A9@h/", "http://h/", "Basic dTpw6Q=="],
    ["http://u:pé@h/", "http://h/", "Basic dTpw6Q=="],
    ["http://a@b:c@h/", "http://h/", "Basic YUBiOmM="],
    ["http://u:p+%zz@h/", "http://h/", "Basic dTpwKyV6eg=="],
    ["http://u:p q@h/", "http://h/", "Basic dTpwIHE="]
  ])("becomes Basic authorization, as requests makes it: %s", (address, url, authorization) => {
    expect(withoutUserInformation(address)).toEqual({ url, authorization })
  })

  it.each([
    ["http://u@h/", "http://h/"],
    ["http://:@h/", "http://h/"],
    ["http://h/a:b@c", "http://h/a:b@c"],
    ["http://h/?a:b@c", "http://h/?a:b@c"]
  ])("gives no authorization where requests makes none: %s", (address, url) => {
    expect(withoutUserInformation(address)).toEqual({ url, authorization: undefined })
  })

  it("is encoded in UTF-8 where Latin-1 lacks a character: requests fails there", () => {
    const { authorization } = withoutUserInformation("http://u:%E2%82%AC@h/")
    expect(authorization).toBe(`Basic ${Buffer.from("u:€").toString("base64")}`)
  })
})
