/** Base64, hexadecimal, hashes, URLs and JSON. */
import { createHash, createHmac } from "node:crypto"
import { type Call, type Json, definePlugin } from "#plugin"

const text = (call: Call, input: Json | undefined): string => {
  const given = typeof input === "string" ? input : String(input ?? "")
  call.charge(1 + (given.length >> 6), given.length * 2)
  return given
}

/** Decodes UTF-8; fails if the bytes are invalid. */
const fromBytes = (bytes: Buffer): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error("the bytes are no UTF-8 text")
  }
}

const decodeBase64 = (encoded: string): string => {
  const plain = encoded.replaceAll("-", "+").replaceAll("_", "/").replace(/\s+/g, "")
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) throw new Error("this is no Base64")
  return fromBytes(Buffer.from(plain, "base64"))
}

const decodeHex = (encoded: string): string => {
  if (!/^(?:[\da-f]{2})*$/i.test(encoded)) throw new Error("this is no hexadecimal")
  return fromBytes(Buffer.from(encoded, "hex"))
}

const algorithms: ReadonlySet<string> = new Set(["md5", "sha1", "sha256", "sha384", "sha512"])

const algorithm = (name: Json): string => {
  if (typeof name === "string" && algorithms.has(name)) return name
  throw new Error(`the algorithm is one of ${[...algorithms].join(", ")}`)
}

const unquote = (quoted: string): string => {
  try {
    return decodeURIComponent(quoted)
  } catch {
    throw new Error("this is no quoted UTF-8")
  }
}

const urlParts = (source: string): Json => {
  if (!URL.canParse(source)) throw new Error(`${JSON.stringify(source.slice(0, 100))} is no URL`)
  const url = new URL(source)
  const query: Record<string, Json> = Object.create(null) as Record<string, Json>
  for (const [name, value] of url.searchParams) query[name] = value
  return {
    scheme: url.protocol.slice(0, -1),
    username: url.username,
    host: url.hostname,
    port: url.port === "" ? null : Number(url.port),
    path: url.pathname,
    query,
    fragment: url.hash.slice(1)
  }
}

const parseJson = (source: string): Json => {
  try {
    return JSON.parse(source) as Json
  } catch {
    throw new Error("this is no JSON")
  }
}

export default definePlugin({
  name: "encoding",
  description: "Base64, hexadecimal, hashes, URLs and JSON.",
  filters: {
    b64encode: (call, input) => Buffer.from(text(call, input), "utf8").toString("base64"),
    b64url_encode: (call, input) => Buffer.from(text(call, input), "utf8").toString("base64url"),
    b64decode: (call, input) => decodeBase64(text(call, input)),
    hex_encode: (call, input) => Buffer.from(text(call, input), "utf8").toString("hex"),
    hex_decode: (call, input) => decodeHex(text(call, input)),
    hash: (call, input, name = "sha256") => createHash(algorithm(name)).update(text(call, input)).digest("hex"),
    hmac: (call, input, key = "", name = "sha256") =>
      createHmac(algorithm(name), String(key)).update(text(call, input)).digest("hex"),
    url_quote: (call, input) => encodeURIComponent(text(call, input).toWellFormed()),
    url_unquote: (call, input) => unquote(text(call, input)),
    url_parts: (call, input) => urlParts(text(call, input)),
    from_json: (call, input) => parseJson(text(call, input))
  },
  tests: {
    url: (call, input) => URL.canParse(text(call, input))
  },
  examples: [
    { template: "{{ 'é'|b64encode }} {{ 'w6k='|b64decode }} {{ '>>?'|b64url_encode }}", expect: "w6k= é Pj4_" },
    { template: "{{ 'Ab'|hex_encode }} {{ '4162'|hex_decode }}", expect: "4162 Ab" },
    { template: "{{ 'abc'|hash('sha1') }}", expect: "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { template: "{{ 'abc'|hash }}", expect: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    {
      template: "{{ 'what do ya want for nothing?'|hmac('Jefe') }}",
      expect: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    },
    { template: "{{ 'a/b c'|url_quote }} {{ 'a%2Fb%20c'|url_unquote }}", expect: "a%2Fb%20c a/b c" },
    {
      template:
        "{% set u = 'https://ops@example.com:8443/x/y?a=1&b=2#top'|url_parts %}{{ u.host }} {{ u.port }} {{ u.path }} {{ u.query.b }} {{ u.fragment }}",
      expect: "example.com 8443 /x/y 2 top"
    },
    {
      template: "{{ ('{\"a\": [1, 2]}'|from_json).a[1] }} {{ 'http://x' is url }} {{ 'x' is url }}",
      expect: "2 True False"
    },
    { template: "{{ '!'|b64decode }}", expect: { error: "Plugin" } },
    { template: "{{ 'x'|hash('crc32') }}", expect: { error: "Plugin" } }
  ]
})
