/** Methods of int, float and bytes. */
import { Fault, valueFault } from "../runtime/Fault.ts"
import { methodsOn } from "../runtime/Native.ts"
import type { Native } from "../value/Value.ts"
import { asText } from "../value/Arguments.ts"
import { integer } from "../value/Numbers.ts"
import { Bytes, Float, Tuple } from "../value/Values.ts"

type Integer = number | bigint | boolean

const size = (value: Integer): bigint => {
  const exact = BigInt(value)
  return exact < 0n ? -exact : exact
}

const ofInteger = methodsOn<Integer>()

export const integerMethods: ReadonlyArray<Native> = [
  ofInteger("bit_length(self, /)", (_rt, self) => (size(self) === 0n ? 0 : size(self).toString(2).length)),
  ofInteger("bit_count(self, /)", (_rt, self) => size(self).toString(2).replaceAll("0", "").length),
  ofInteger("conjugate(self, /)", (_rt, self) => (typeof self === "boolean" ? Number(self) : self)),
  ofInteger("as_integer_ratio(self, /)", (_rt, self) => new Tuple([typeof self === "boolean" ? Number(self) : self, 1]))
]

/** The float as an exact fraction. */
const ratio = (value: number): Tuple => {
  if (Number.isNaN(value)) throw valueFault("cannot convert NaN to integer ratio")
  if (!Number.isFinite(value)) throw new Fault("Overflow", "cannot convert Infinity to integer ratio")
  let numerator = value
  let power = 0n
  while (!Number.isInteger(numerator)) {
    numerator *= 2
    power++
  }
  return new Tuple([integer(BigInt(numerator)), integer(1n << power)])
}

const ofFloat = methodsOn<Float>()

export const floatMethods: ReadonlyArray<Native> = [
  ofFloat("is_integer(self, /)", (_rt, self) => Number.isInteger(self.value)),
  ofFloat("conjugate(self, /)", (_rt, self) => self),
  ofFloat("as_integer_ratio(self, /)", (_rt, self) => ratio(self.value))
]

const decode = (bytes: Uint8Array, encoding: string): string => {
  const name = encoding.toLowerCase().replaceAll("_", "-")
  if (name === "latin-1" || name === "iso-8859-1") return Buffer.from(bytes).toString("latin1")
  if (name !== "utf-8" && name !== "utf8" && name !== "ascii") throw valueFault(`unknown encoding: ${encoding}`)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw valueFault(`'${name}' codec can't decode bytes`)
  }
}

const ofBytes = methodsOn<Bytes>()

export const bytesMethods: ReadonlyArray<Native> = [
  ofBytes("decode(self, encoding?, errors?)", (rt, self, encoding) => {
    rt.alloc(self.bytes.length)
    return decode(self.bytes, encoding === undefined ? "utf-8" : asText(encoding, "encoding must be str"))
  }),
  ofBytes("hex(self, /)", (rt, self) => {
    rt.alloc(self.bytes.length * 2)
    return Buffer.from(self.bytes).toString("hex")
  })
]
