/** Lines that tell how far a command is. How many there are depends on how fast the machine is. */
const PROGRESS = /^(?:looking|listing|sending|reading|fetching): /;

/** What a command printed, without the lines that tell how far it is, and without empty lines around it. */
export function withoutProgress(text: string): string {
  const lines = text.split('\n').filter((line) => !PROGRESS.test(line));
  return lines.join('\n').trim();
}

const VARYING: readonly [pattern: RegExp, name: string][] = [
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, '<token>'],
  [/(?<![\w-])[\w-]{70,}(?![\w-])/g, '<cursor>'],
  [/\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z| \d{6})?/g, '<time>'],
  [/\b\d{13,}\b/g, '<number>'],
  [/\bFormer member [0-9a-f]{6}\b/g, 'Former member <digits>'],
  [/-?\b\d+\.\d{2,}(?:e-?\d+)?\b/g, '<number>'],
];
const ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/**
 * Returns a function that replaces what differs from run to run: ids, times, tokens, hashes, fractions. The same id
 * gets the same name wherever it appears on a page, so that a page which confuses two ids differs from what is printed.
 */
export function createNormalizer(): (text: string) => string {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `<id ${names.size + 1}>`;
    names.set(id, name);
    return name;
  };
  return (text) => {
    const named = withoutProgress(text).replaceAll(ID, nameOf);
    return VARYING.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), named);
  };
}
