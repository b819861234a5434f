/** Images are recognised by their bytes, and nothing in a file makes this slow, fail or wrong. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { UploadedFile, image, imageBytesMax } from "../../src/inventory/image/ImageField.ts"
import { pictureIn } from "../../src/inventory/image/Picture.ts"
import { gif, jpeg, png, webp } from "../support/Images.ts"

const makers = {
  png: [png, 2 ** 31 - 1],
  gif: [gif, 65_535],
  jpg: [jpeg, 65_535],
  "webp lossy": [webp.lossy, 16_383],
  "webp lossless": [webp.lossless, 16_384],
  "webp extended": [webp.extended, 2 ** 24]
} as const

describe("an image", () => {
  it.each(Object.entries(makers))("is recognised with its dimensions: %s", (name, [make, max]) => {
    const side = fc.integer({ min: 1, max })
    fc.assert(
      fc.property(side, side, (width, height) => {
        expect(pictureIn(make(width, height))).toMatchObject({ extension: name.slice(0, 4).trim(), width, height })
      })
    )
  })

  it("is no image without dimensions, or where its header ends early", () => {
    expect([png(0, 5), gif(5, 0), jpeg(0, 0)].map(pictureIn)).toEqual([undefined, undefined, undefined])
    for (const [make] of Object.values(makers)) {
      const whole = make(7, 5)
      for (let length = 0; length < whole.length; length++) {
        const found = pictureIn(whole.subarray(0, length))
        expect(found === undefined || (found.width === 7 && found.height === 5)).toBe(true)
      }
    }
  })

  it("is none of other files", () => {
    const texts = [
      "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
      "<!doctype html>",
      "BM",
      "%PDF-1.7",
      ""
    ]
    for (const text of texts) expect(pictureIn(Buffer.from(text))).toBeUndefined()
    const start = fc.constantFrom(
      ...[png, gif, jpeg, webp.lossy, webp.extended].map((make) => make(1, 1).subarray(0, 12))
    )
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 200 }), (head, tail) => {
        const found = pictureIn(Buffer.concat([head, tail]))
        expect(found === undefined || (found.width > 0 && found.height > 0)).toBe(true)
      })
    )
    // Ten mebibytes of fill bytes, and of the shortest segments.
    const fill = new Uint8Array(imageBytesMax).fill(0xff)
    fill[1] = 0xd8
    expect(pictureIn(fill)).toBeUndefined()
  })
})

const field = image({ folder: "pictures" })

describe("the name of an image", () => {
  const nameOf = (name: string): string => {
    const parsed = field.parse(new UploadedFile(gif(1, 1), name))
    return "value" in parsed ? (parsed.value as { readonly name: string }).name : JSON.stringify(parsed.errors)
  }

  it.each([
    ["front view.PNG", /^front_view_[0-9a-f]{10}\.gif$/],
    ["../../etc/passwd", /^passwd_\w{10}\.gif$/],
    ["C:\\temp\\Regal größe.jpeg", /^Regal_gro_e_\w{10}\.gif$|^Regal_gro_\w+\.gif$/],
    ["..", /^image_\w{10}\.gif$/],
    ["", /^image_\w{10}\.gif$/],
    ['x"\r\nSet-Cookie: a=b.gif', /^x_Set-Cookie_a_b_\w{10}\.gif$/],
    ["x".repeat(5000), /^x{60}_\w{10}\.gif$/]
  ])("%j has no folder and no sign that means something", (name, pattern) => {
    expect(nameOf(name)).toMatch(pattern)
  })

  it("has few signs and fits, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
        expect(nameOf(name)).toMatch(/^[A-Za-z0-9][\w-]{0,80}\.gif$/)
      })
    )
  })
})

describe("the field of an image", () => {
  const errors = (input: unknown): unknown => {
    const parsed = field.parse(input)
    return "errors" in parsed ? parsed.errors : "taken"
  }

  it("refuses what is too large before anything is decoded", () => {
    const file = (bytes: Uint8Array) => errors(new UploadedFile(bytes, "x.png"))
    expect(file(png(100_000, 100_000))).toEqual([expect.stringContaining("100000 x 100000 pixels")])
    expect(file(png(32_768, 1))).toEqual([expect.stringContaining("pixels")])
    expect(file(png(10_000, 5_001))).toEqual([expect.stringContaining("pixels")])
    expect(file(png(10_000, 5_000))).toBe("taken")
    expect(file(new Uint8Array(imageBytesMax + 1))).toEqual([expect.stringContaining("bytes")])
    expect(file(new Uint8Array())).toEqual(["The submitted file is empty."])
  })

  it("takes null and a blank where it is optional", () => {
    const optional = image({ folder: "pictures", optional: true })
    for (const input of [null, ""]) {
      expect(optional.parse(input)).toEqual({ value: null })
      expect(errors(input)).not.toBe("taken")
    }
    expect(optional.parse("false")).toHaveProperty("value")
    expect(optional.parse(false)).toHaveProperty("errors")
  })

  it("takes a data URL of an image, and no other text with a file", () => {
    const url = (bytes: Uint8Array) => `data:text/html;base64,${Buffer.from(bytes).toString("base64")}`
    expect(errors(url(gif(3, 4)))).toBe("taken")
    expect(errors(url(Buffer.from("<script>")))).toEqual([expect.stringContaining("Upload a valid image")])
    expect(errors("data:image/gif;base64,R0lG\nODlh")).toEqual([expect.stringContaining("Upload a valid image")])
    for (const input of [1, null, {}, ["x"], "a b", "https://example.com/x?y"]) expect(errors(input)).not.toBe("taken")
  })
})
