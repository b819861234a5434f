/** Methods of int, float and bytes. */
import { Fault, typeFault, valueFault } from "../runtime/Fault.ts"
import { type Native, native } from "../runtime/Native.ts"
import { asText } from "../value/Arguments.ts"
import { integer } from "../value/Numbers.ts"
import { Bytes, Float, Tuple, type Value } from "../value/Values.ts"

const size = (value: Value | undefined): bigint => {
  const exact = BigInt(value as number | bigint | boolean)
  return exact < 0n ? -exact : exact
}

export const integerMethods: ReadonlyArray<Native> = [
  native("bit_length(self, /)", (_rt, self) => (size(self) === 0n ? 0 : size(self).toString(2).length)),
  native("bit_count(self, /)", (_rt, self) => size(self).toString(2).replaceAll("0", "").length),
  native("conjugate(self, /)", (_rt, self) => (typeof self === "boolean" ? Number(self) : self!)),
  native("as_integer_ratio(self, /)", (_rt, self) => new Tuple([typeof self === "boolean" ? Number(self) : self!, 1]))
]

/** The fraction that the float is, exactly. */
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

export const floatMethods: ReadonlyArray<Native> = [
  native("is_integer(self, /)", (_rt, self) => Number.isInteger((self as Float).value)),
  native("conjugate(self, /)", (_rt, self) => self!),
  native("as_integer_ratio(self, /)", (_rt, self) => ratio((self as Float).value))
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

export const bytesMethods: ReadonlyArray<Native> = [
  native("decode(self, encoding?, errors?)", (rt, self, encoding) => {
    if (!(self instanceof Bytes)) throw typeFault("decode() needs bytes")
    rt.alloc(self.bytes.length)
    return decode(self.bytes, encoding === undefined ? "utf-8" : asText(encoding, "encoding must be str"))
  }),
  native("hex(self, /)", (rt, self) => {
    rt.alloc((self as Bytes).bytes.length * 2)
    return Buffer.from((self as Bytes).bytes).toString("hex")
  })
]
