/**
 * The order of files: first one that needs servers, so that they are made, and then all that need none, so that the other
 * worker has something to do meanwhile.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const needsServers = ({ moduleId }: TestSpecification): boolean => /\.(pg|redis|browser)\./.test(moduleId)

export class FileOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const first = sorted.filter(needsServers).slice(0, 1)
    const pure = sorted.filter((file) => !needsServers(file))
    return [...first, ...pure, ...sorted.filter((file) => needsServers(file) && !first.includes(file))]
  }
}
