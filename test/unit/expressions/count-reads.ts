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

const isSingle = (node: AST.Node) =>
  node.type === 'Character' || node.type === 'CharacterSet' || node.type === 'CharacterClass';

/** Makes a matcher of an expression. It reads backwards in a lookbehind. */
class Compiler {
  readonly #run: Run;
  readonly #flags: string;

  constructor(run: Run, flags: string) {
    this.#run = run;
    this.#flags = flags.replaceAll(/[gyd]/g, '');
  }

  alternatives(nodes: readonly AST.Alternative[], step: 1 | -1, flags = this.#flags): Matcher {
    const matchers = nodes.map((node) => this.#sequence(node.elements, step, flags));
    return (position, then) => matchers.some((matcher) => matcher(position, then));
  }

  #sequence(nodes: readonly AST.Element[], step: 1 | -1, flags: string): Matcher {
    const ordered = step === 1 ? nodes : nodes.toReversed();
    return ordered
      .map((node) => this.#element(node, step, flags))
      .reduceRight<Matcher>(
        (rest, first) => (position, then) => first(position, (next) => rest(next, then)),
        (position, then) => then(position),
      );
  }

  #element(node: AST.Element, step: 1 | -1, flags: string): Matcher {
    if (node.type === 'Quantifier') return this.#quantifier(node, step, flags);
    if (node.type === 'Assertion') return this.#assertion(node, flags);
    if (node.type === 'Backreference') return this.#backreference(node);
    if (node.type === 'CapturingGroup') return this.#capturingGroup(node, step, flags);
    if (node.type === 'Group') {
      const { add, remove } = node.modifiers ?? {};
      assert.ok(remove === null || remove === undefined, 'no flag is removed within an expression');
      return this.alternatives(node.alternatives, step, add?.ignoreCase ? `${flags}i` : flags);
    }
    assert.ok(isSingle(node), node.type);
    return this.#single(node, step, flags);
  }

  /** The position after one character, or -1. */
  #singleEnd(node: AST.Node, step: 1 | -1, flags: string): (position: number) => number {
    const tester = new RegExp(`^(?:${node.raw})$`, flags);
    const known = new Map<number, boolean>();
    const run = this.#run;
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

  #single(node: AST.Node, step: 1 | -1, flags: string): Matcher {
    const endOf = this.#singleEnd(node, step, flags);
    return (position, then) => {
      const end = endOf(position);
      return end >= 0 && then(end);
    };
  }

  #quantifier(node: AST.Quantifier, step: 1 | -1, flags: string): Matcher {
    assert.ok(node.greedy, `${node.raw} is greedy`);
    const { element, min, max } = node;
    let endsOf: (position: number) => number[];
    if (isSingle(element)) {
      const endOf = this.#singleEnd(element, step, flags);
      endsOf = (position) => {
        const end = endOf(position);
        return end < 0 ? [] : [end];
      };
    } else {
      const matcher = this.#element(element as AST.Element, step, flags);
      endsOf = (position) => {
        const ends: number[] = [];
        matcher(position, (end) => {
          if (end !== position) ends.push(end);
          return false;
        });
        return ends;
      };
    }
    return (start, then) => {
      const taken = [{ position: start, ends: max === 0 ? [] : endsOf(start) }];
      for (let top = taken.at(-1); top !== undefined; top = taken.at(-1)) {
        const end = top.ends.shift();
        if (end !== undefined) {
          taken.push({ position: end, ends: taken.length < max ? endsOf(end) : [] });
          continue;
        }
        if (taken.length > min && then(top.position)) return true;
        taken.pop();
      }
      return false;
    };
  }

  #assertion(node: AST.Assertion, flags: string): Matcher {
    if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
      const matcher = this.alternatives(node.alternatives, node.kind === 'lookahead' ? 1 : -1, flags);
      return (position, then) => matcher(position, () => true) !== node.negate && then(position);
    }
    if (node.kind !== 'word') {
      return (position, then) =>
        position === (node.kind === 'start' ? 0 : this.#run.text.length) && then(position);
    }
    const { negate } = node;
    const isWord = (index: number) => /\w/.test(this.#run.text[index] ?? ' ');
    return (position, then) => {
      this.#run.count += 1;
      return (isWord(position - 1) !== isWord(position)) !== negate && then(position);
    };
  }

  #backreference(node: AST.Backreference): Matcher {
    return (position, then) => {
      const run = this.#run;
      const captured = run.groups.get(node.ref) ?? '';
      if (position !== run.last) run.count += captured.length;
      run.last = position;
      return run.text.startsWith(captured, position) && then(position + captured.length);
    };
  }

  #capturingGroup(node: AST.CapturingGroup, step: 1 | -1, flags: string): Matcher {
    const matcher = this.alternatives(node.alternatives, step, flags);
    return (position, then) =>
      matcher(position, (end) => {
        const { groups, text } = this.#run;
        const [from, to] = step === 1 ? [position, end] : [end, position];
        const before = groups.get(node.name ?? '');
        groups.set(node.name ?? '', text.slice(from, to));
        if (then(end)) return true;
        groups.set(node.name ?? '', before ?? '');
        return false;
      });
  }
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
  const matcher = new Compiler(run, flags).alternatives(pattern.alternatives, 1);
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
