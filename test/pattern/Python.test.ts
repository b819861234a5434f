/** Python's regular expressions: each answer here is that of Python 3.11 (`re.match`). */
import { describe, expect, test } from "vitest"
import { patternOf } from "../../src/pattern/Pattern.ts"
import { digitRanges, wordRanges } from "../../src/pattern/WordRanges.ts"

const matches = (pattern: string, text: string) => patternOf(pattern).startsIn(text)

describe("a pattern is read as Python reads it", () => {
  test.each<readonly [pattern: string, yes: ReadonlyArray<string>, no: ReadonlyArray<string>]>([
    [String.raw`\w+$`, ["Zürich", "Ωmega", "東京", "²", "a_1"], ["é́", "-", ""]],
    [String.raw`\W$`, ["-", "€", " "], ["ü", "_", "1"]],
    [String.raw`\d+$`, ["123", "١٢٣", "४"], ["²", "a"]],
    [String.raw`\D$`, ["a", "²"], ["1", "४"]],
    [String.raw`\s\S$`, ["\u00a0ü", "\u2003a", "\u001cx", "\u000bx"], ["a b", "  "]],
    [String.raw`[\w-]+$`, ["zür-ich"], ["zür ich"]],
    [String.raw`[^\W\d_]+$`, ["Zürich"], ["Zürich1", "a_b", "-"]],
    [String.raw`[\W]$`, ["-"], ["ü"]],
    [String.raw`[\D]$`, ["ü"], ["४"]],
    [String.raw`[^\S\n]+$`, [" \t"], [" \n ", "a"]],
    [String.raw`(?a)\w+$`, ["abc"], ["ü"]],
    [String.raw`(?a)\d$`, ["1"], ["४"]],
    [String.raw`(?a:\w)\w$`, ["aü"], ["üa"]],
    [String.raw`[\b]$`, ["\b"], ["b"]],
    [String.raw`a\Z`, ["a"], ["a\n"]],
    [String.raw`a$`, ["a", "a\n"], ["a\n\n", "ab"]],
    [String.raw`(?:a$|b\Z)`, ["a\n", "b"], ["b\n"]],
    [String.raw`\Aa`, ["ab"], ["ba"]],
    [String.raw`\u0061\x62$`, ["ab"], ["u0061"]],
    [String.raw`\U0001F600$`, ["😀"], ["U"]],
    [String.raw`[\u00e0-\u00ff]$`, ["ü"], ["u"]],
    [String.raw`\N{LATIN SMALL LETTER U WITH DIAERESIS}\N{EURO SIGN}$`, ["ü€"], ["u€"]],
    [String.raw`[\N{EM DASH}\N{greek small letter alpha}]$`, ["—", "α"], ["-"]],
    ["(?x) a  b # a comment\n c", ["abc"], ["a b c"]],
    [String.raw`(?x)a\ [ ]b`, ["a  b"], ["ab"]],
    ["(?i)ZÜRICH$", ["zürich"], ["zurich"]],
    ["(?i:A)b$", ["ab", "Ab"], ["aB"]],
    ["(?s)a.b$", ["a\nb"], ["ab"]],
    ["(?m)a$\nb", ["a\nb"], ["ab"]],
    ["(?ims)^A.B$", ["a\nb"], ["ab"]],
    ["(?u)ü", ["ü"], ["u"]],
    ["(?-i:a)", ["a"], ["A"]],
    ["a{,2}b$", ["b", "aab"], ["aaab", "a{,2}b"]],
    ["a{b$", ["a{b"], ["ab"]],
    ["a(?#a comment)b$", ["ab"], ["a"]],
    ["(?P<name>a)$", ["a"], ["b"]]
  ])("%s", (pattern, yes, no) => {
    expect(yes.filter((text) => !matches(pattern, text))).toEqual([])
    expect(no.filter((text) => matches(pattern, text))).toEqual([])
  })

  test.each<readonly [pattern: string, yes: ReadonlyArray<string>, no: ReadonlyArray<string>]>([
    [String.raw`.*\bZürich\b`, ["Zürich", "in Zürich.", "ü Zürich"], ["Zürichs", "üZürich", "Zürichü"]],
    [String.raw`.*\bcore\b`, ["core", "a-core-b"], ["score", "coreü", "ücore", "ücore é"]],
    [String.raw`.*ü\B`, ["üa", "üé"], ["ü", "ü "]],
    [String.raw`\bü\b \b\bb\b$`, ["ü b"], ["ü c", "üb"]],
    [String.raw`(?:\b\w+\b[^\w]*)+$`, ["Größe der Züge", "a, ü"], ["-ü"]],
    [String.raw`é[^a]\b.$`, ["éb-"], ["éa-", "ébc"]],
    [String.raw`(?s)ü.\b.$`, ["ü\na"], ["ü\n\n"]],
    [String.raw`(?m)ü$\n^\bb`, ["ü\nb"], ["üb"]],
    [String.raw`ü\b\Z`, ["ü"], ["ü\n", "üa"]],
    [String.raw`ü[\W]\b`, ["ü-a"], ["ü--", "üa"]],
    [String.raw`ü\Q.b\E\b`, ["ü.b"], ["ü.bc", "üxb"]],
    [String.raw`(?a)ü\bb`, ["üb"], ["ü b"]]
  ])("%s, in texts beyond ASCII", (pattern, yes, no) => {
    expect(yes.filter((text) => !matches(pattern, text))).toEqual([])
    expect(no.filter((text) => matches(pattern, text))).toEqual([])
  })

  test("also where it may stand anywhere in a text", () => {
    expect(patternOf(String.raw`\bZürich\b`).isIn("in Zürich.")).toBe(true)
    expect(patternOf(String.raw`\bZürich\b`).isIn("in Zürichs.")).toBe(false)
  })

  test.each([
    [String.raw`\N{NO SUCH THING}`, "unknown character name NO SUCH THING"],
    ["(?L)a", "unknown flag L"],
    ["(?q:a)", "unknown flag q"],
    ["(?<=a)b", "invalid"],
    [String.raw`(a)\1`, "invalid escape"],
    ["(?=a)", "invalid"],
    ["[z-a]", "invalid character class range"]
  ])("%s is refused: %s", (pattern, message) => {
    expect(() => patternOf(pattern)).toThrow(message)
  })
})

test("the cost of a match grows with the text, and with the marks that a \\b needs beyond ASCII", () => {
  const plain = patternOf(String.raw`\w+x`)
  const bound = patternOf(String.raw`\b\w+x`)
  expect(plain.costOf("ü".repeat(99))).toBe(100 * plain.size)
  expect(bound.costOf("u".repeat(99))).toBe(100 * bound.size)
  expect(bound.costOf("ü".repeat(99))).toBeGreaterThan(600 * bound.size)
})

test.each([
  ["words", wordRanges, /[\p{L}\p{N}_]/u],
  ["digits", digitRanges, /\p{Nd}/u]
] as const)("the table of %s has the characters that Node knows", (_, ranges, pattern) => {
  const listed = new Set(
    ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
  )
  const wrong = Array.from({ length: 0x40000 }, (_, codePoint) => codePoint).filter(
    (codePoint) => pattern.test(String.fromCodePoint(codePoint)) !== listed.has(codePoint)
  )
  expect(wrong).toEqual([])
})
