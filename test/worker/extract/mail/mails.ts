/** Mails for tests. */

export const HEAD = 'From: Anna <anna@x.example>\r\nSubject: The pump\r\n';

/** A part with its headers, which can have a body in any encoding. */
export const part = (headers: string, body: string) => `${headers}\r\n\r\n${body}`;

/** A multipart of a kind. */
export const multipart = (kind: string, parts: readonly string[], boundary = 'b') =>
  `Content-Type: multipart/${kind}; boundary=${boundary}\r\n\r\n${parts.map((each) => `--${boundary}\r\n${each}\r\n`).join('')}--${boundary}--\r\n`;

/** An attached file, in base64. */
export const file = (name: string, type: string, content: string | Uint8Array) =>
  part(
    `Content-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64`,
    Buffer.from(content).toString('base64'),
  );

/** A mail of a text and these parts. */
export const mixed = (...parts: string[]) => HEAD + multipart('mixed', [part('', 'See below.'), ...parts]);
