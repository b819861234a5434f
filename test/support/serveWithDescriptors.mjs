// The program `rackwire` as a process that may open DESCRIPTORS descriptors.
const program = new URL("../../bin/rackwire.mjs", import.meta.url).pathname
const command = ["sh", "-c", 'ulimit -n "$DESCRIPTORS" && exec "$@"', "sh"]
process.execve("/bin/sh", [...command, process.execPath, program, ...process.argv.slice(2)])
