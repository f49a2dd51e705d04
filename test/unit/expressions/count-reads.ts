import assert from 'node:assert/strict';
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/*
 * Counts the characters that a search with a regular expression reads: it runs the expression as an engine with backtracking
 * does. A character that is read again at once, for another alternative, counts once. After another character, it counts
 * again. The count is an upper bound, because all ends of a repeated group are looked for before the first is used.
 */

type Continue = (position: number) => boolean;
type Matcher = (position: number, then: Continue) => boolean;

/** A run of an expression over a text. */
interface Run {
  text: string;
  count: number;
  last: number;
  groups: Map<string | number, string>;
}

/** Gives the place after one character, or -1. */
function singleOf(run: Run, node: AST.Node, step: 1 | -1, flags: string): (position: number) => number {
  const tester = new RegExp(`^(?:${node.raw})$`, flags);
  const known = new Map<number, boolean>();
  const isUnicode = flags.includes('u');
  return (position) => {
    let from = step === 1 ? position : position - 1;
    if (from < 0 || from >= run.text.length) return -1;
    const isLow = isUnicode && step === -1 && from > 0 && /[\udc00-\udfff]/.test(run.text[from]!);
    if (isLow && run.text.codePointAt(from - 1)! > 0xffff) from -= 1;
    if (from !== run.last) run.count += 1;
    run.last = from;
    const code = isUnicode ? run.text.codePointAt(from)! : run.text.charCodeAt(from);
    let fits = known.get(code);
    if (fits === undefined) known.set(code, (fits = tester.test(String.fromCodePoint(code))));
    if (!fits) return -1;
    return step === 1 ? from + (code > 0xffff ? 2 : 1) : from;
  };
}

/** Makes the matcher of a quantifier: of all ends of each repetition, the longest run of them first. */
function repeatedOf({ min, max }: AST.Quantifier, matcher: Matcher): Matcher {
  const endsOf = (position: number): number[] => {
    const ends: number[] = [];
    matcher(position, (end) => {
      if (end !== position) ends.push(end);
      return false;
    });
    return ends;
  };
  return (start, then) => {
    const taken = [{ position: start, ends: max === 0 ? [] : endsOf(start) }];
    for (let top = taken.at(-1); top !== undefined; top = taken.at(-1)) {
      const end = top.ends.shift();
      if (end !== undefined) taken.push({ position: end, ends: taken.length < max ? endsOf(end) : [] });
      else if (taken.length > min && then(top.position)) return true;
      else taken.pop();
    }
    return false;
  };
}

/** Makes the matcher of an assertion. */
function assertionOf(run: Run, node: AST.Assertion, flags: string): Matcher {
  if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
    const matcher = anyOf(run, node.alternatives, node.kind === 'lookahead' ? 1 : -1, flags);
    return (position, then) => matcher(position, () => true) !== node.negate && then(position);
  }
  if (node.kind !== 'word')
    return (position, then) => position === (node.kind === 'start' ? 0 : run.text.length) && then(position);
  const isWord = (index: number) => /\w/.test(run.text[index] ?? ' ');
  return (position, then) => {
    run.count += 1;
    return (isWord(position - 1) !== isWord(position)) !== node.negate && then(position);
  };
}

function anyOf(run: Run, nodes: readonly AST.Alternative[], step: 1 | -1, flags: string): Matcher {
  const matchers = nodes.map((node) => matcherOf(run, node, step, flags));
  return (position, then) => matchers.some((matcher) => matcher(position, then));
}

/** Makes the matcher of a part of an expression. It reads backwards in a lookbehind. */
function matcherOf(run: Run, node: AST.Node, step: 1 | -1, flags: string): Matcher {
  if (node.type === 'Assertion') return assertionOf(run, node, flags);
  if (node.type === 'Alternative') {
    const parts = node.elements.map((each) => matcherOf(run, each, step, flags));
    if (step === 1) parts.reverse();
    return parts.reduce<Matcher>(
      (rest, first) => (position, then) => first(position, (next) => rest(next, then)),
      (position, then) => then(position),
    );
  }
  if (node.type === 'Quantifier') {
    assert.ok(node.greedy, `${node.raw} is greedy`);
    return repeatedOf(node, matcherOf(run, node.element, step, flags));
  }
  if (node.type === 'Group') {
    const { add, remove } = node.modifiers ?? {};
    assert.ok(remove == null, 'no flag is removed within an expression');
    return anyOf(run, node.alternatives, step, add?.ignoreCase ? `${flags}i` : flags);
  }
  if (node.type === 'CapturingGroup') {
    const matcher = anyOf(run, node.alternatives, step, flags);
    const name = node.name ?? '';
    return (position, then) =>
      matcher(position, (end) => {
        const before = run.groups.get(name) ?? '';
        run.groups.set(name, run.text.slice(Math.min(position, end), Math.max(position, end)));
        if (then(end)) return true;
        run.groups.set(name, before);
        return false;
      });
  }
  if (node.type === 'Backreference') {
    return (position, then) => {
      const captured = run.groups.get(node.ref) ?? '';
      if (position !== run.last) run.count += captured.length;
      run.last = position;
      return run.text.startsWith(captured, position) && then(position + captured.length);
    };
  }
  const endOf = singleOf(run, node, step, flags);
  return (position, then) => {
    const end = endOf(position);
    return end >= 0 && then(end);
  };
}

interface Counter {
  run: Run;
  matcher: Matcher;
  /** The character that each match begins with, if it is always the same. */
  first: string | null;
}

function firstOf({ alternatives }: AST.Pattern, flags: string): string | null {
  const first = alternatives.length === 1 ? alternatives[0]?.elements[0] : undefined;
  return first?.type === 'Character' && !flags.includes('i') ? String.fromCodePoint(first.value) : null;
}

const counters = new Map<string, Counter>();

function counterOf({ source, flags }: RegExp): Counter {
  const key = `/${source}/${flags}`;
  const known = counters.get(key);
  if (known !== undefined) return known;
  const run: Run = { text: '', count: 0, last: -1, groups: new Map() };
  const { pattern } = new RegExpParser().parseLiteral(key);
  const matcher = anyOf(run, pattern.alternatives, 1, flags.replaceAll(/[gyd]/g, ''));
  const counter = { run, matcher, first: firstOf(pattern, flags) };
  counters.set(key, counter);
  return counter;
}

/** The characters that an expression reads in a text from a place on, and the end of its match, or -1. */
export function countReads(expression: RegExp, text: string, from: number): { reads: number; end: number } {
  const { run, matcher, first } = counterOf(expression);
  Object.assign(run, { text, count: 0, last: -1 });
  run.groups.clear();
  let end = -1;
  for (let start = from; start <= text.length && end < 0; start += 1) {
    if (first !== null && !expression.sticky) {
      const next = text.indexOf(first, start);
      run.count += (next < 0 ? text.length : next) - start;
      if (next < 0) break;
      start = next;
    }
    matcher(start, (matchEnd) => {
      end = matchEnd;
      return true;
    });
    if (expression.sticky) break;
  }
  return { reads: run.count, end };
}
