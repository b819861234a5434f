/**
 * The CA certificates of one webhook: PEM text of its row, and a file in a directory that the operator names.
 *
 * Guarantees: reads only regular files of bounded size, without blocking, and only inside these directories after
 * symlinks are resolved. Certificates are checked when a webhook is saved and when a connection needs them; a problem
 * fails that connection and nothing else.
 */
import { constants } from "node:fs"
import { type FileHandle, lstat, open, realpath } from "node:fs/promises"
import { isAbsolute, relative, resolve, sep } from "node:path"
import { readCertificates } from "./Certificates.ts"

/** Largest file, bytes. The bundle of a Linux distribution has a quarter of a megabyte. */
export const fileBytesMax = 512 * 1024

/** Longest time for reading a file, milliseconds: a network file system may not answer. */
const readMillis = 5_000

/** Time after which a file is read again, milliseconds: the operator may have renewed it. */
const keptMillis = 300_000

/** The CA certificates of a webhook cannot be used. Nothing was sent. */
class UnusableAuthority extends Error {
  readonly code = "ERR_CA_CERTIFICATE"
}

/** Returns the fault of a text that should have certificates, or undefined. */
export const certificatesProblem = (text: string): string | undefined => readCertificates(text).problem

/** Returns the fault of the path of a file of certificates, or undefined. */
export const fileProblem = (directories: ReadonlyArray<string>, path: string): Promise<string | undefined> =>
  readAuthorityFile(directories, path).then(
    () => undefined,
    (error: Error) => error.message
  )

/** The certificates in the file. Rejects with an UnusableAuthority. */
const readAuthorityFile = async (directories: ReadonlyArray<string>, path: string): Promise<string> => {
  const { pem, problem } = readCertificates(await inTime(readInside(directories, path)))
  if (pem === undefined) throw new UnusableAuthority(`The file has no usable certificates. ${problem}`)
  return pem
}

const inTime = async <A>(reading: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new UnusableAuthority(`The file was not read within ${readMillis} ms.`)
    timer = setTimeout(() => reject(error), readMillis)
  })
  try {
    return await Promise.race([reading, late])
  } catch (error) {
    if (error instanceof UnusableAuthority) throw error
    throw new UnusableAuthority(`The file cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}.`)
  } finally {
    clearTimeout(timer)
  }
}

const readInside = async (directories: ReadonlyArray<string>, path: string): Promise<string> => {
  if (directories.length === 0) {
    throw new UnusableAuthority(
      "Files are not allowed: WEBHOOK_CA_DIRECTORY names no directory. Set that option, or use ca_certificate."
    )
  }
  const outside = new UnusableAuthority("The file must be in a directory that WEBHOOK_CA_DIRECTORY names.")
  // By its text first: the error reveals nothing about files elsewhere.
  if (path.includes("\0") || !directories.some((directory) => isInside(resolve(directory), resolve(path))))
    throw outside
  const real = await realpath(path)
  // Some of the directories may not exist.
  const allowed = await Promise.all(directories.map((directory) => realpath(directory).catch(() => undefined)))
  if (!allowed.some((directory) => directory !== undefined && isInside(directory, real))) throw outside
  // Before it is opened: opening a device may have an effect.
  mustBeSmallFile(await lstat(real))
  // Without O_NONBLOCK, opening a FIFO waits for its writer.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    mustBeSmallFile(await file.stat())
    return await readAll(file)
  } finally {
    await file.close()
  }
}

const isInside = (directory: string, path: string): boolean => {
  const way = relative(directory, path)
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const mustBeSmallFile = (found: Awaited<ReturnType<typeof lstat>>): void => {
  if (!found.isFile()) throw new UnusableAuthority("The path must be that of a regular file.")
  if (Number(found.size) > fileBytesMax) throw tooLarge()
}

const tooLarge = () => new UnusableAuthority(`The file must not be larger than ${fileBytesMax} bytes.`)

/** The size that a file says it has need not be true. */
const readAll = async (file: FileHandle): Promise<string> => {
  const bytes = Buffer.alloc(fileBytesMax + 1)
  let size = 0
  while (size < bytes.length) {
    const { bytesRead } = await file.read(bytes, size, bytes.length - size, size)
    if (bytesRead === 0) return bytes.toString("utf8", 0, size)
    size += bytesRead
  }
  throw tooLarge()
}

interface Authority {
  /** Certificates of the row; empty for none. */
  readonly pem: string
  /** Path of the row; empty for none. */
  readonly path: string
  readonly directories: ReadonlyArray<string>
}

/**
 * The certificates when a connection needs them, undefined where the webhook trusts the usual ones. Read once and kept
 * for a while; after a failure they are read again for the next connection.
 */
export const authorityOf = ({ pem, path, directories }: Authority): (() => Promise<string>) | undefined => {
  if (pem === "" && path === "") return undefined
  let kept: { readonly at: number; readonly text: Promise<string> } | undefined
  const read = async (): Promise<string> => {
    const { pem: own, problem } = pem === "" ? { pem: "" } : readCertificates(pem)
    if (own === undefined) throw new UnusableAuthority(`ca_certificate: ${problem}`)
    if (path === "") return own
    const file = await readAuthorityFile(directories, path).catch((error: Error) => {
      throw new UnusableAuthority(`ca_file_path: ${error.message}`)
    })
    return `${own}\n${file}`
  }
  return () => {
    if (kept !== undefined && performance.now() - kept.at < keptMillis) return kept.text
    const text = read().catch((error: Error) => {
      kept = undefined
      throw error
    })
    kept = { at: performance.now(), text }
    return text
  }
}
