/** Parses include, import and from-import as Jinja does, although no template can be loaded. */
import { Fault } from "../runtime/Fault.ts"
import type { NoLoader } from "./Ast.ts"
import { TargetParser } from "./TargetParser.ts"

export abstract class LoaderTagParser extends TargetParser {
  private parseContext(): boolean {
    const { stream } = this
    if ((!stream.isName("with") && !stream.isName("without")) || !stream.looksAt("context")) return false
    stream.next()
    stream.next()
    return true
  }

  protected parseInclude(at: number): NoLoader {
    const template = this.parseExpression()
    if (this.stream.isName("ignore") && this.stream.looksAt("missing")) {
      this.stream.next()
      this.stream.next()
    }
    this.parseContext()
    return { kind: "NoLoader", at, what: "include", template, names: [] }
  }

  protected parseImport(at: number): NoLoader {
    const template = this.parseExpression()
    this.stream.expectName("as")
    const { name } = this.parseName("store")
    this.parseContext()
    return { kind: "NoLoader", at, what: "import", template, names: [name] }
  }

  protected parseFrom(at: number): NoLoader {
    const { stream } = this
    const template = this.parseExpression()
    stream.expectName("import")
    const names: Array<string> = []
    for (;;) {
      if (names.length > 0) stream.expectOperator(",")
      if (stream.current.type !== "name") stream.expect("name")
      if (this.parseContext()) break
      const { name, at: nameAt } = this.parseName("store")
      if (name.startsWith("_")) {
        throw new Fault("Assertion", "names starting with an underline can not be imported", nameAt)
      }
      names.push(stream.skipName("as") ? this.parseName("store").name : name)
      if (this.parseContext() || !stream.isOperator(",")) break
    }
    return { kind: "NoLoader", at, what: "import", template, names }
  }
}
