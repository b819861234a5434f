// The program `rackwire` in a mount namespace of its own, in which RESOLV_CONF stands in the place of /etc/resolv.conf.
const program = new URL("../../bin/rackwire.mjs", import.meta.url).pathname
const place = `mount --bind "$RESOLV_CONF" "$(realpath /etc/resolv.conf)" && exec "$@"`
const command = ["unshare", "--map-root-user", "--mount", "sh", "-c", place, "sh"]
process.execve("/usr/bin/unshare", [...command, process.execPath, program, ...process.argv.slice(2)])
