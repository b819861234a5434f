/** The source of a template: from the package's lines and columns to offsets. */
import { Fault } from "../../jinja/runtime/Fault.ts"

export class Source {
  readonly text: string
  private readonly starts: Array<number> = [0]

  constructor(text: string) {
    this.text = text
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.starts.push(at + 1)
  }

  /** Line and column count from 0. */
  offset({ lineno, colno }: { readonly lineno: number; readonly colno: number }): number {
    return (this.starts[lineno] ?? this.text.length) + colno
  }

  syntaxFault(message: string, place: { readonly lineno: number; readonly colno: number }): Fault {
    return new Fault("Syntax", message, this.offset(place))
  }
}
