/**
 * The error that a command had, also in a script: Redis 6.2 writes the script and its line before it, where later versions
 * begin with the code (`NOGROUP`, `READONLY`, `OOM`).
 */
export const errorReply = (message: string): string =>
  message.replace(/^ERR Error running script \(call to \w+\): (?:@\w+: ?\d+: )+-?/, "")
