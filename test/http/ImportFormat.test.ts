import { describe, expect, test } from "vitest"
import { fileOf } from "../../src/http/files/ImportFormat.ts"

const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer

const formatOf = (text: string, contentType?: string, format?: string) =>
  fileOf({ bytes: bytesOf(text), contentType, format }).format

/** The body and header that `curl -F file=@<name>` sends. */
const upload = async (...files: ReadonlyArray<readonly [name: string, type: string, text: string]>) => {
  const form = new FormData()
  form.set("note", "a field")
  files.forEach(([name, type, text], at) => form.set(`file${at}`, new File([text], name, { type })))
  const request = new Request("http://localhost", { method: "POST", body: form })
  return {
    bytes: await request.arrayBuffer(),
    contentType: request.headers.get("content-type")!,
    format: undefined
  }
}

describe("the format of an import", () => {
  test.each([
    ["text/csv; charset=utf-8", "csv"],
    ["application/json", "json"],
    ["application/yaml", "yaml"],
    ["Text/X-YAML", "yaml"]
  ])("follows the content type %s", (type, format) => {
    expect(formatOf("name: x", type)).toBe(format)
  })

  test("follows the query before all else", () => {
    expect(formatOf("[]", "application/json", "csv")).toBe("csv")
    expect(() => formatOf("[]", "application/json", "xml")).toThrow("Unknown format: xml. Use csv, json, yaml.")
  })

  test.each([
    ["name,slug\na,b", "csv"],
    ["name\na", "csv"],
    ['\ufeff"name";x\n', "csv"],
    ["# made by hand\n\nname,slug\n", "csv"],
    ['[{"name": "x"}]', "json"],
    [' \n{"name": "x"}', "json"],
    ["- name: x\n  slug: x", "yaml"],
    ["# sites\n---\n- name: x", "yaml"],
    ["name: x\nslug: x", "yaml"],
    ["-\n  name: x", "yaml"],
    ["", "csv"]
  ])("follows the content where no type tells: %j", (text, format) => {
    expect(formatOf(text)).toBe(format)
    // The default content type of curl's --data-binary.
    expect(formatOf(text, "application/x-www-form-urlencoded")).toBe(format)
  })

  test.each([
    ["sites.csv", "application/octet-stream", "csv"],
    ["sites.YML", "application/octet-stream", "yaml"],
    ["sites", "application/json", "json"],
    ["sites", "application/octet-stream", "csv"]
  ])("of a form follows its file: %s as %s", async (name, type, format) => {
    expect(fileOf(await upload([name, type, "name,slug\r\na,b\r\n"]))).toEqual({ format, text: "name,slug\r\na,b\r\n" })
  })
})

describe("the text of a form", () => {
  const form = async (fields: Readonly<Record<string, string>>, file: File) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.set(name, value)
    data.set("file", file)
    const request = new Request("http://localhost", { method: "POST", body: data })
    return {
      bytes: await request.arrayBuffer(),
      contentType: request.headers.get("content-type")!,
      format: undefined
    }
  }
  const none = new File([], "", { type: "application/octet-stream" })

  test("is read where no file was chosen, in the format that the form names", async () => {
    expect(fileOf(await form({ data: "name\nå" }, none))).toEqual({ format: "csv", text: "name\r\nå" })
    expect(fileOf(await form({ data: "name", format: "yaml" }, none))).toEqual({ format: "yaml", text: "name" })
    expect(fileOf(await form({ data: "[]", format: "" }, none))).toEqual({ format: "json", text: "[]" })
  })

  test("gives way to a file", async () => {
    const sent = await form({ data: "name\nx" }, new File(["[]"], "a.json"))
    expect(fileOf(sent)).toEqual({ format: "json", text: "[]" })
  })
})

describe("an import is refused", () => {
  test("if its form has no file, several, or too many parts", async () => {
    const file = ["a.csv", "text/csv", "name"] as const
    const refused = async (count: number) => {
      const form = await upload(...Array.from({ length: count }, () => file))
      return () => fileOf(form)
    }
    expect(await refused(0)).toThrow("The form has 0 files. Send one.")
    expect(await refused(2)).toThrow("The form has 2 files. Send one.")
    expect(await refused(30)).toThrow("The form cannot be read: MaxParts.")
  })

  test("if its form ends early or has no boundary", async () => {
    const form = await upload(["a.csv", "text/csv", "name,slug"])
    expect(() => fileOf({ ...form, bytes: form.bytes.slice(0, -10) })).toThrow(
      "The form cannot be read: EndNotReached."
    )
    expect(() => fileOf({ ...form, contentType: "multipart/form-data" })).toThrow("The form cannot be read")
  })

  test("if it is not UTF-8", () => {
    const bytes = Uint8Array.of(0x2d, 0x20, 0xff).buffer
    expect(() => fileOf({ bytes, contentType: undefined, format: "yaml" })).toThrow("not UTF-8")
  })
})
