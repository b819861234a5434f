/** Programs in languages that are compiled when they are run. */
import { type Language, bodyFile, program, quotedList } from "./Snippet.ts"

const go: Language = {
  name: "go",
  title: "Go",
  run: "SECRET=YOUR_SECRET go run verify.go",
  write: ({ scheme, body, prefix, signatures }) => {
    const isNetbox = scheme === "netbox"
    const imports = ["crypto/hmac", isNetbox ? "crypto/sha512" : "crypto/sha256"]
    if (!isNetbox || body !== undefined) imports.push("encoding/base64")
    if (isNetbox) imports.push("encoding/hex")
    imports.push("fmt", "os", ...(isNetbox ? [] : ["strings"]))
    return program(
      `// ${go.run}`,
      `package main`,
      ``,
      `import (`,
      ...imports.map((each) => `\t"${each}"`),
      `)`,
      ``,
      `func main() {`,
      `\tsecret := os.Getenv("SECRET")`,
      body === undefined
        ? `\tbody, _ := os.ReadFile("${bodyFile}")`
        : `\tbody, _ := base64.StdEncoding.DecodeString("${body}")`,
      `\tsignatures := []string{${quotedList(signatures)}}`,
      `\tkey := []byte(secret)`,
      ...(isNetbox
        ? [`\tmac := hmac.New(sha512.New, key)`, `\tmac.Write(body)`, `\texpected := hex.EncodeToString(mac.Sum(nil))`]
        : [
            `\tif strings.HasPrefix(secret, "whsec_") {`,
            `\t\tkey, _ = base64.StdEncoding.DecodeString(secret[6:])`,
            `\t}`,
            `\tmac := hmac.New(sha256.New, key)`,
            `\tmac.Write([]byte("${prefix}"))`,
            `\tmac.Write(body)`,
            `\texpected := base64.StdEncoding.EncodeToString(mac.Sum(nil))`
          ]),
      `\tfor _, each := range signatures {`,
      `\t\tif hmac.Equal([]byte(expected), []byte(each)) {`,
      `\t\t\tfmt.Println("valid")`,
      `\t\t\treturn`,
      `\t\t}`,
      `\t}`,
      `\tfmt.Println("invalid")`,
      `\tos.Exit(1)`,
      `}`
    )
  }
}

const java: Language = {
  name: "java",
  title: "Java",
  run: "SECRET=YOUR_SECRET java Verify.java",
  write: ({ scheme, body, prefix, signatures }) => {
    const algorithm = scheme === "netbox" ? "HmacSHA512" : "HmacSHA256"
    return program(
      `// ${java.run}`,
      `import java.nio.charset.StandardCharsets;`,
      `import java.nio.file.*;`,
      `import java.security.MessageDigest;`,
      `import java.util.*;`,
      `import javax.crypto.Mac;`,
      `import javax.crypto.spec.SecretKeySpec;`,
      ``,
      `public class Verify {`,
      `  public static void main(String[] args) throws Exception {`,
      `    String secret = System.getenv("SECRET");`,
      body === undefined
        ? `    byte[] body = Files.readAllBytes(Path.of("${bodyFile}"));`
        : `    byte[] body = Base64.getDecoder().decode("${body}");`,
      `    String[] signatures = {${quotedList(signatures)}};`,
      `    byte[] key = secret.getBytes(StandardCharsets.UTF_8);`,
      scheme === "netbox"
        ? undefined
        : `    if (secret.startsWith("whsec_")) key = Base64.getDecoder().decode(secret.substring(6));`,
      `    Mac mac = Mac.getInstance("${algorithm}");`,
      `    mac.init(new SecretKeySpec(key, "${algorithm}"));`,
      ...(scheme === "netbox"
        ? [`    byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes();`]
        : [
            `    mac.update("${prefix}".getBytes());`,
            `    byte[] expected = Base64.getEncoder().encode(mac.doFinal(body));`
          ]),
      `    boolean valid = false;`,
      `    for (String each : signatures) valid |= MessageDigest.isEqual(expected, each.getBytes());`,
      `    System.out.println(valid ? "valid" : "invalid");`,
      `    System.exit(valid ? 0 : 1);`,
      `  }`,
      `}`
    )
  }
}

const csharp: Language = {
  name: "csharp",
  title: "C#",
  run: "SECRET=YOUR_SECRET dotnet run verify.cs",
  write: ({ scheme, body, prefix, signatures }) =>
    program(
      `// ${csharp.run} (.NET 10; before it, as Program.cs of a console project)`,
      `using System.Security.Cryptography;`,
      `using System.Text;`,
      ``,
      `var secret = Environment.GetEnvironmentVariable("SECRET")!;`,
      body === undefined
        ? `var body = File.ReadAllBytes("${bodyFile}");`
        : `var body = Convert.FromBase64String("${body}");`,
      `var signatures = new[] { ${quotedList(signatures)} };`,
      `var key = Encoding.UTF8.GetBytes(secret);`,
      ...(scheme === "netbox"
        ? [`var expected = Convert.ToHexString(HMACSHA512.HashData(key, body)).ToLowerInvariant();`]
        : [
            `if (secret.StartsWith("whsec_")) key = Convert.FromBase64String(secret[6..]);`,
            `var content = Encoding.UTF8.GetBytes("${prefix}").Concat(body).ToArray();`,
            `var expected = Convert.ToBase64String(HMACSHA256.HashData(key, content));`
          ]),
      `bool IsSame(string one) =>`,
      `  CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(one), Encoding.UTF8.GetBytes(expected));`,
      `var valid = signatures.Any(IsSame);`,
      `Console.WriteLine(valid ? "valid" : "invalid");`,
      `return valid ? 0 : 1;`
    )
}

export const compiled: ReadonlyArray<Language> = [go, java, csharp]
