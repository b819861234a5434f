/** Reads the instructions of a Dockerfile, as far as ours uses the language. */

export interface Instruction {
  readonly name: string
  /** The rest of the line, with its continuation lines. */
  readonly text: string
}

export interface Stage {
  /** `image` for the last, which has none. */
  readonly name: string
  readonly instructions: ReadonlyArray<Instruction>
}

const known = new Set("FROM WORKDIR COPY RUN ENV USER EXPOSE HEALTHCHECK ENTRYPOINT CMD".split(" "))

/** The stages of a Dockerfile. Throws at an instruction that this does not know. */
export const stagesOf = (dockerfile: string): ReadonlyArray<Stage> => {
  const stages: Array<{ name: string; instructions: Array<Instruction> }> = []
  for (const line of dockerfile
    .replace(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")) {
    const [, name, text] = /^(\w+)\s+(.+)$/.exec(line.trim()) ?? []
    if (name === undefined || text === undefined) continue
    if (!known.has(name)) throw new Error(`the instruction ${name} is not known`)
    if (name === "FROM") {
      const [, , stage] = text.split(/\s+/)
      stages.push({ name: stage ?? "image", instructions: [] })
    } else stages.at(-1)!.instructions.push({ name, text })
  }
  return stages
}

/** The words of the last such instruction in JSON form, as `["node", "-e"]`. */
export const wordsOf = (stage: Stage, name: string): ReadonlyArray<string> => {
  const text = stage.instructions.findLast((instruction) => instruction.name === name)?.text ?? ""
  return JSON.parse(text.slice(text.indexOf("["))) as ReadonlyArray<string>
}
