/** Programs in languages that are run as they are. */
import { type Language, bodyFile, program, quotedList } from "./Snippet.ts"

const node: Language = {
  name: "node",
  title: "Node.js",
  run: "SECRET=YOUR_SECRET node verify.mjs",
  write: ({ scheme, body, prefix, signatures }) => {
    const isNetbox = scheme === "netbox"
    return program(
      `// ${node.run}`,
      `import { createHmac, timingSafeEqual } from "node:crypto"`,
      `import { env } from "node:process"`,
      body === undefined ? `import { readFileSync } from "node:fs"` : undefined,
      ``,
      `const secret = env.SECRET`,
      body === undefined ? `const body = readFileSync("${bodyFile}")` : `const body = Buffer.from("${body}", "base64")`,
      `const signatures = [${quotedList(signatures)}]`,
      isNetbox
        ? `const expected = createHmac("sha512", secret).update(body).digest("hex")`
        : `const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret`,
      isNetbox
        ? undefined
        : `const expected = createHmac("sha256", key).update("${prefix}").update(body).digest("base64")`,
      `const isSame = (one) => timingSafeEqual(Buffer.from(one), Buffer.from(expected))`,
      `const valid = signatures.some(isSame)`,
      `console.log(valid ? "valid" : "invalid")`,
      `process.exitCode = valid ? 0 : 1`
    )
  }
}

const python: Language = {
  name: "python",
  title: "Python",
  run: "SECRET=YOUR_SECRET python3 verify.py",
  write: ({ scheme, body, prefix, signatures }) =>
    program(
      `# ${python.run}`,
      `import base64, hashlib, hmac, os, sys`,
      ``,
      `secret = os.environ["SECRET"]`,
      body === undefined ? `body = open("${bodyFile}", "rb").read()` : `body = base64.b64decode("${body}")`,
      `signatures = [${quotedList(signatures)}]`,
      ...(scheme === "netbox"
        ? [`expected = hmac.new(secret.encode(), body, hashlib.sha512).hexdigest()`]
        : [
            `key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()`,
            `digest = hmac.new(key, b"${prefix}" + body, hashlib.sha256).digest()`,
            `expected = base64.b64encode(digest).decode()`
          ]),
      `valid = any(hmac.compare_digest(expected, each) for each in signatures)`,
      `print("valid" if valid else "invalid")`,
      `sys.exit(0 if valid else 1)`
    )
}

const ruby: Language = {
  name: "ruby",
  title: "Ruby",
  run: "SECRET=YOUR_SECRET ruby verify.rb",
  write: ({ scheme, body, prefix, signatures }) =>
    program(
      `# ${ruby.run}`,
      `require "openssl"`,
      ``,
      `secret = ENV.fetch("SECRET").b`,
      body === undefined ? `body = File.binread("${bodyFile}")` : `body = "${body}".unpack1("m")`,
      `signatures = [${quotedList(signatures)}]`,
      ...(scheme === "netbox"
        ? [`expected = OpenSSL::HMAC.hexdigest("SHA512", secret, body)`]
        : [
            `key = secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m") : secret`,
            `expected = [OpenSSL::HMAC.digest("SHA256", key, "${prefix}".b + body)].pack("m0")`
          ]),
      `valid = signatures.any? { |each| OpenSSL.secure_compare(expected, each) }`,
      `puts valid ? "valid" : "invalid"`,
      `exit valid`
    )
}

const php: Language = {
  name: "php",
  title: "PHP",
  run: "SECRET=YOUR_SECRET php verify.php",
  write: ({ scheme, body, prefix, signatures }) =>
    program(
      `<?php`,
      `// ${php.run}`,
      `$secret = getenv("SECRET");`,
      body === undefined ? `$body = file_get_contents("${bodyFile}");` : `$body = base64_decode("${body}");`,
      `$signatures = [${quotedList(signatures)}];`,
      ...(scheme === "netbox"
        ? [`$expected = hash_hmac("sha512", $body, $secret);`]
        : [
            `$key = strncmp($secret, "whsec_", 6) === 0 ? base64_decode(substr($secret, 6)) : $secret;`,
            `$expected = base64_encode(hash_hmac("sha256", "${prefix}" . $body, $key, true));`
          ]),
      `$valid = false;`,
      `foreach ($signatures as $each) $valid = hash_equals($expected, $each) || $valid;`,
      `echo $valid ? "valid\\n" : "invalid\\n";`,
      `exit($valid ? 0 : 1);`
    )
}

const shell: Language = {
  name: "shell",
  title: "Shell (openssl)",
  run: "SECRET=YOUR_SECRET sh verify.sh",
  write: ({ scheme, body, prefix, signatures }) => {
    const printed = body === undefined ? `cat ${bodyFile}` : `printf %s '${body}' | openssl base64 -d -A`
    const hex = `od -An -v -tx1 | tr -d ' \\n'`
    return program(
      `# ${shell.run}`,
      `body() { ${printed}; }`,
      ...(scheme === "netbox"
        ? [
            `key=$(printf %s "$SECRET" | ${hex})`,
            `expected=$(body | openssl dgst -sha512 -mac HMAC -macopt "hexkey:$key" | sed 's/^.*= *//')`
          ]
        : [
            `case $SECRET in`,
            `  whsec_*) key=$(printf %s "\${SECRET#whsec_}" | openssl base64 -d -A | ${hex}) ;;`,
            `  *) key=$(printf %s "$SECRET" | ${hex}) ;;`,
            `esac`,
            `expected=$({ printf %s '${prefix}'; body; } |`,
            `  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)`
          ]),
      `case " ${signatures.join(" ")} " in`,
      `  *" $expected "*) echo valid ;;`,
      `  *) echo invalid; false ;;`,
      `esac`
    )
  }
}

export const scripts: ReadonlyArray<Language> = [node, python, ruby, php, shell]
