/** Objects that everything shares, and who owns what of them, as text: an attack must not change it. */
export const shared = (): string =>
  JSON.stringify(
    [globalThis, Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Error, Promise, Symbol].flatMap(
      (of) => [
        Object.getOwnPropertyNames(of),
        "prototype" in of ? Object.getOwnPropertyNames(of.prototype as object) : []
      ]
    )
  )
