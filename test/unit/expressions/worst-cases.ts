import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/*
 * Texts on which a regular expression takes longest. A search that divides a text in many ways does so where parts of
 * the expression can take the same characters, again and again, and what comes after them does not fit. So each text
 * is a beginning that matches, something that is repeated, and an end that fits nowhere.
 */

/** A text that can be made as long as needed: `before`, `repeated` as often as there is room, `after`. */
export interface WorstCase {
  before: string;
  repeated: string;
  after: string;
}

/** One or more of each kind that expressions tell apart. */
const CHARACTERS = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'éßµ¹\u00a0\u00ad\u0301\u200b\u2010\u2028\u202e\u3000\ufeff\ufffd',
  ...'яמعกກកကアあ漢한、１😀↑•−ı',
];
/** Ends that fit nowhere, or only where lines end. */
const ENDS = ['', '\0', '\n', '\u2603'];
/** More would only be longer ways to say the same. */
const MAX_PARTS = 24;

const testerOf = (raw: string, flags: string) => {
  const tester = new RegExp(`^(?:${raw})$`, flags.replaceAll(/[gymd]/g, ''));
  return (character: string) => tester.test(character);
};

/** What matches one character of several. */
function isCharacterSet(node: AST.Node): boolean {
  return ['CharacterSet', 'CharacterClass', 'ExpressionCharacterClass'].includes(node.type);
}

/** One character of each kind that the expression tells apart, without those that fit nowhere in it. */
function alphabetOf(pattern: AST.Pattern, flags: string): string[] {
  const raws = new Set<string>();
  const add = (node: AST.Node) => {
    // Not the parts of a class.
    if (node.parent?.type === 'Alternative' || node.parent?.type === 'Quantifier') raws.add(node.raw);
  };
  visitRegExpAST(pattern, {
    onCharacterEnter: add,
    onCharacterSetEnter: add,
    onCharacterClassEnter: add,
    onExpressionCharacterClassEnter: add,
  });
  const testers = [...raws].map((raw) => testerOf(raw, flags));
  const kinds = new Map<string, string>();
  // Of a kind, a letter or a sign rather than a control character.
  for (const character of [...CHARACTERS.slice(33), ...CHARACTERS.slice(0, 33)]) {
    const kind = testers.map((fits) => (fits(character) ? '1' : '0')).join('');
    if (kind.includes('1') && !kinds.has(kind)) kinds.set(kind, character);
  }
  return [...kinds.values()];
}

/** A short text that the node matches. */
function sampleOf(node: AST.Node, alphabet: readonly string[], flags: string): string {
  const sample = (each: AST.Node) => sampleOf(each, alphabet, flags);
  if (node.type === 'Character') return String.fromCodePoint(node.value);
  if (isCharacterSet(node)) {
    const fits = testerOf(node.raw, flags);
    return alphabet.find(fits) ?? CHARACTERS.find(fits) ?? '';
  }
  if (node.type === 'Quantifier') return sample(node.element).repeat(Math.max(1, node.min));
  if (node.type === 'Alternative') return node.elements.map(sample).join('');
  const isGroup = node.type === 'CapturingGroup' || node.type === 'Group' || node.type === 'Pattern';
  return isGroup && node.alternatives[0] !== undefined ? sample(node.alternatives[0]) : '';
}

/** What can come before a node within the expression: samples of all that stands before it, from the start. */
function beginningOf(node: AST.Node, sample: (node: AST.Node) => string): string {
  const { parent } = node;
  if (parent === null) return '';
  const before = beginningOf(parent, sample);
  if (parent.type !== 'Alternative') return before;
  const place = parent.elements.findIndex((element) => element === node);
  return before + parent.elements.slice(0, place).map(sample).join('');
}

/** The worst cases of an expression by its form. */
export function worstCasesOf({ source, flags }: RegExp): WorstCase[] {
  const literal = new RegExpParser().parseLiteral(`/${source}/${flags}`);
  const alphabet = alphabetOf(literal.pattern, flags);
  const sample = (node: AST.Node) => sampleOf(node, alphabet, flags);
  const whole = sample(literal.pattern);
  const beginnings = new Set(['', whole]);
  const parts = new Set([...alphabet, whole]);
  visitRegExpAST(literal.pattern, {
    onQuantifierEnter: (node) => {
      beginnings.add(beginningOf(node, sample));
      beginnings.add(beginningOf(node, sample) + sample(node));
      parts.add(sample(node.element));
      parts.add(beginningOf(node, sample) + sample(node));
    },
    onAlternativeEnter: (node) => {
      parts.add(sample(node));
    },
  });
  const repeatable = [...parts].filter((part) => part !== '').slice(0, MAX_PARTS);
  const cases: WorstCase[] = [];
  for (const after of ENDS) {
    for (const repeated of repeatable) {
      for (const before of beginnings) {
        cases.push({ before, repeated, after });
        if (before !== '') cases.push({ before: '', repeated: before + repeated, after });
      }
      for (const other of alphabet) cases.push({ before: '', repeated: repeated + other, after });
    }
  }
  return cases;
}

/** A worst case as a text of about this many UTF-16 code units. */
export function textOf({ before, repeated, after }: WorstCase, length: number): string {
  const room = length - before.length - after.length;
  return before + repeated.repeat(Math.max(1, Math.floor(room / repeated.length))) + after;
}
