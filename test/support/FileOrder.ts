/**
 * The order of files: first a file that needs servers, so that they are made; then the files that need none, so that the
 * other worker has something to do meanwhile.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const needsServers = ({ moduleId }: TestSpecification): boolean => /\.(pg|redis|browser)\./.test(moduleId)

export class FileOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const others = sorted.filter(needsServers)
    const first = others.splice(0, 1)
    return [...first, ...sorted.filter((file) => !needsServers(file)), ...others]
  }
}
