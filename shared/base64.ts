const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** By length and single characters: an expression for the groups of four overflows its stack on a large file. */
function isBase64(text: string): boolean {
  const bare = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  const padded = bare.length < text.length;
  return (padded ? text.length % 4 === 0 : bare.length % 4 !== 1) && !NOT_BASE64.test(bare);
}

/** The bytes that a text in base64 stands for, blanks and line ends left aside; null where it is none. */
export function decodeBase64(text: string): Buffer | null {
  const base64 = /\s/.test(text) ? text.replaceAll(/\s+/g, '') : text;
  return isBase64(base64) ? Buffer.from(base64, 'base64') : null;
}
