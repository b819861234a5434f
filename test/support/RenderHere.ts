/** Renders templates synchronously in the caller's thread, as property tests need it, and without plugins. */
import { Effect, Layer } from "effect"
import { Context } from "../../src/template/Context.ts"
import { sourceOf } from "../../src/template/Part.ts"
import { Renderer, faultOf } from "../../src/template/Renderer.ts"
import { Templates } from "../../src/template/Template.ts"
import { TemplateError } from "../../src/template/TemplateError.ts"

const renderer = new Renderer([])

export const renderHere = Layer.succeed(
  Templates,
  Templates.of({
    check: (source, engine = "jinja") =>
      Effect.sync(() => {
        const fault = renderer.check(source, engine)
        return fault === undefined ? undefined : TemplateError.from(fault)
      }),
    render: (sources, context, engine = "jinja") =>
      Effect.try({
        try: () =>
          sources.map((given) => {
            const [source, part] = sourceOf(given)
            return renderer.template(source, engine, part)(new Context(context))
          }),
        catch: (error) => TemplateError.from(faultOf(error))
      }),
    engines: () => renderer.engineNames,
    plugins: Effect.succeed([])
  })
)
