/** The languages of docs/receiving.md: how a program is made of each example, and how it is run. */

export interface Verifier {
  /** As behind the fence of the block. */
  readonly language: string
  /** The file that the example is put into. */
  readonly file: string
  /** A file beside it that calls it, and its text. */
  readonly main: readonly [file: string, text: string]
  /** Run once, if at all. */
  readonly build?: readonly [command: string, ...words: ReadonlyArray<string>]
  readonly run: readonly [command: string, ...words: ReadonlyArray<string>]
}

/**
 * Each program takes a request as a CGI program does: the body from its standard input, headers from variables `HTTP_…`. It
 * prints `valid` or `invalid`.
 */
export const verifiers: ReadonlyArray<Verifier> = [
  {
    language: "python",
    file: "verify.py",
    main: [
      "main.py",
      `import os, sys
from verify import verify, verify_standard
headers = {name[5:].lower().replace("_", "-"): value for name, value in os.environ.items() if name.startswith("HTTP_")}
check = verify_standard if os.environ["SCHEME"] == "standard" else verify
print("valid" if check(os.environ["SECRET"], headers, sys.stdin.buffer.read()) else "invalid")
`
    ],
    run: ["python3", "main.py"]
  },
  {
    language: "js",
    file: "verify.mjs",
    main: [
      "main.mjs",
      `import { readFileSync } from "node:fs"
import { verify, verifyStandard } from "./verify.mjs"
const names = Object.keys(process.env).filter((name) => name.startsWith("HTTP_"))
const headers = Object.fromEntries(names.map((name) => [name.slice(5).toLowerCase().replaceAll("_", "-"), process.env[name]]))
const check = process.env.SCHEME === "standard" ? verifyStandard : verify
console.log(check(process.env.SECRET, headers, readFileSync(0)) ? "valid" : "invalid")
`
    ],
    run: [process.execPath, "main.mjs"]
  },
  {
    language: "go",
    file: "verify.go",
    main: [
      "main.go",
      `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	header := http.Header{}
	for _, each := range os.Environ() {
		if name, value, _ := strings.Cut(each, "="); strings.HasPrefix(name, "HTTP_") {
			header.Set(strings.ReplaceAll(name[5:], "_", "-"), value)
		}
	}
	body, _ := io.ReadAll(os.Stdin)
	check := map[string]func(string, http.Header, []byte) bool{"netbox": Verify, "standard": VerifyStandard}
	if check[os.Getenv("SCHEME")](os.Getenv("SECRET"), header, body) {
		fmt.Println("valid")
	} else {
		fmt.Println("invalid")
	}
}
`
    ],
    build: ["go", "build", "-o", "verify", "verify.go", "main.go"],
    run: ["./verify"]
  },
  {
    language: "ruby",
    file: "verify.rb",
    main: [
      "main.rb",
      `require_relative "verify"
headers = ENV.filter_map { |name, value| [name[5..].downcase.tr("_", "-"), value] if name.start_with?("HTTP_") }.to_h
check = ENV["SCHEME"] == "standard" ? :verify_standard : :verify
puts send(check, ENV["SECRET"], headers, $stdin.binmode.read) ? "valid" : "invalid"
`
    ],
    run: ["ruby", "main.rb"]
  },
  {
    language: "php",
    file: "verify.php",
    main: [
      "main.php",
      `<?php
require "verify.php";
$headers = [];
foreach (getenv() as $name => $value) {
    if (str_starts_with($name, "HTTP_")) $headers[strtolower(strtr(substr($name, 5), "_", "-"))] = $value;
}
$check = getenv("SCHEME") === "standard" ? "verify_standard" : "verify";
echo $check(getenv("SECRET"), $headers, file_get_contents("php://stdin")) ? "valid" : "invalid";
`
    ],
    run: ["php", "main.php"]
  },
  {
    language: "java",
    file: "Webhooks.java",
    main: [
      "Main.java",
      `import java.util.HashMap;
import java.util.Map;

class Main {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> headers = new HashMap<>();
    System.getenv().forEach((name, value) -> {
      if (name.startsWith("HTTP_")) headers.put(name.substring(5).toLowerCase().replace('_', '-'), value);
    });
    byte[] body = System.in.readAllBytes();
    String secret = System.getenv("SECRET");
    boolean valid = System.getenv("SCHEME").equals("standard")
        ? Webhooks.verifyStandard(secret, headers, body)
        : Webhooks.verify(secret, headers, body);
    System.out.println(valid ? "valid" : "invalid");
  }
}
`
    ],
    build: ["javac", "Webhooks.java", "Main.java"],
    run: ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "Main"]
  },
  {
    language: "csharp",
    file: "Webhooks.cs",
    main: [
      "Main.cs",
      `using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;

static class Program
{
    static void Main()
    {
        var headers = new Dictionary<string, string>();
        foreach (DictionaryEntry each in Environment.GetEnvironmentVariables())
        {
            var name = (string)each.Key;
            if (name.StartsWith("HTTP_")) headers[name.Substring(5).ToLowerInvariant().Replace('_', '-')] = (string)each.Value;
        }
        var body = new MemoryStream();
        Console.OpenStandardInput().CopyTo(body);
        var secret = Environment.GetEnvironmentVariable("SECRET");
        var valid = Environment.GetEnvironmentVariable("SCHEME") == "standard"
            ? Webhooks.VerifyStandard(secret, headers, body.ToArray())
            : Webhooks.Verify(secret, headers, body.ToArray());
        Console.WriteLine(valid ? "valid" : "invalid");
    }
}
`
    ],
    build: ["mcs", "-out:verify.exe", "Webhooks.cs", "Main.cs"],
    run: ["mono", "verify.exe"]
  },
  {
    language: "bash",
    file: "verify.sh",
    main: [
      "main.sh",
      `set -u
. ./verify.sh
cat >body
case $SCHEME in
  netbox) verify "$SECRET" body "\${HTTP_X_HOOK_SIGNATURE-}" "\${HTTP_X_HOOK_SIGNATURE_PREVIOUS-}" ;;
  *) verify_standard "$SECRET" body "\${HTTP_WEBHOOK_ID-}" "\${HTTP_WEBHOOK_TIMESTAMP-}" "\${HTTP_WEBHOOK_SIGNATURE-}" ;;
esac && echo valid || echo invalid
`
    ],
    run: ["bash", "main.sh"]
  }
]
