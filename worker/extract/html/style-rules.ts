import { type StyleEffect, styleEffects } from './declarations.ts';

/*
 * The rules of the style sheets in a page that hide elements. Only simple ones are applied: those that name the element
 * itself, by its name, classes and id. A rule that could show the element again counts if its last part names the element.
 * So in doubt text is read.
 */

/** The most rules of a page that are used, and the most that are compared for each name, class or id of an element. */
const MAX_RULES = 5_000;
const MAX_RULES_PER_NAME = 50;
/**
 * The most comparisons of rules with elements. A page with many classes on each element has a hundredth of it. After them the
 * sheets hide nothing more.
 */
const MAX_COMPARISONS = 20_000_000;
/** Longer selectors are ignored. */
const MAX_SELECTOR = 300;

/** Blocks whose rules apply, at least under some conditions. Other ones, such as `@keyframes`, have none. */
const CONDITIONAL = /^@(?:media|supports|layer|container)\b/i;
const ALWAYS = /^@layer\b|^@media\s+(?:screen|all)\s*$/i;
/** States that a page does not have when it is opened. */
const STATE = /:(?:hover|focus|active|target|checked|fullscreen|popover-open|modal)/i;
/** A selector for one element, made of its name, classes and ids. */
const SIMPLE = /^[\w-]*(?:[.#](?:[\w\u0080-\uffff-]|\\.)+)*$/;
/** The name, classes and ids at the start of a part of a selector, without attributes and pseudo-classes. */
const NAMES = /^(?:[\w.#\u0080-\uffff-]|\\.)*/;
/** A class or id in a selector. */
const CLASS_OR_ID = /[.#](?:[\w\u0080-\uffff-]|\\.)+/g;

/** Numbers that keep the parts of the weight of a rule apart: importance, ids, classes, names, and then the order. */
const PER_NAME = 10_000;
const PER_CLASS = PER_NAME * 1_000;
const PER_ID = PER_CLASS * 300;
const PER_IMPORTANCE = PER_ID * 300;

interface Rule extends StyleEffect {
  /** The name, `.classes` and `#ids` that an element must all have. */
  needs: readonly string[];
  /** Compares rules as a browser does. */
  weight: number;
}

function withoutComments(css: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = css.indexOf('/*'); at >= 0; at = css.indexOf('/*', from)) {
    pieces.push(css.slice(from, at));
    const end = css.indexOf('*/', at + 2);
    if (end < 0) return pieces.join(' ');
    from = end + 2;
  }
  pieces.push(css.slice(from));
  return pieces.join(' ');
}

/** The style sheets of a page. */
export class StyleRules {
  readonly #rules = new Map<string, Rule[]>();
  readonly #names: ReadonlySet<string>;
  #count = 0;
  #comparisons = 0;

  /** @param names all classes (`.a`) and ids (`#b`) of the page */
  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  /** Whether the style of an element certainly hides it, without the style sheets. */
  static hidesCertainly(ownStyle: string): boolean {
    return styleEffects(ownStyle).some(({ by, hides }) => hides && by !== 'fading');
  }

  /** Adds the text of a `style` element. */
  addSheet(css: string): void {
    // For each open block: whether its rules apply always, perhaps, or never.
    const open: ('always' | 'perhaps' | 'never')[] = [];
    const text = withoutComments(css);
    let start = 0;
    for (const { 0: mark, index } of text.matchAll(/[{};]/g)) {
      const head = text.slice(start, index).trim();
      const around = open.at(-1) ?? 'always';
      start = index + 1;
      if (mark === '}') open.pop();
      else if (mark === '{' && around === 'never') open.push('never');
      else if (mark === '{' && !head.startsWith('@')) {
        const end = text.indexOf('}', index);
        this.#addRules(head, text.slice(start, end < 0 ? undefined : end), around === 'always');
        open.push('never');
      } else if (mark === '{' && CONDITIONAL.test(head)) {
        open.push(around === 'always' && ALWAYS.test(head) ? 'always' : 'perhaps');
      } else if (mark === '{') open.push('never');
    }
  }

  #addRules(selectors: string, style: string, always: boolean): void {
    const effects = styleEffects(style);
    if (effects.length === 0 || this.#count > MAX_RULES) return;
    for (const selector of selectors.split(',', MAX_RULES)) {
      if (selector.length <= MAX_SELECTOR) this.#addRule(selector.trim(), effects, always);
    }
  }

  #addRule(selector: string, effects: readonly StyleEffect[], always: boolean): void {
    const named = (selector.match(CLASS_OR_ID) ?? []).map((name) => name.replaceAll('\\', ''));
    if (STATE.test(selector) || !named.every((name) => this.#names.has(name))) return;
    const last = selector.split(/[\s>+~]+/).at(-1) ?? '';
    const isExact = SIMPLE.test(selector);
    // A pseudo-element, such as `::before`, is not the element.
    if (last === '' || last.includes('::')) return;
    const name = /^[\w-]+/.exec(last)?.[0].toLowerCase();
    const needs = [
      ...(name === undefined ? [] : [name]),
      ...(NAMES.exec(last)?.[0].match(CLASS_OR_ID) ?? []).map((each) => each.replaceAll('\\', '')),
    ];
    const key = needs.at(-1);
    if (key === undefined) return;
    const ids = named.filter((each) => each.startsWith('#')).length;
    const weight = ids * PER_ID + (named.length - ids) * PER_CLASS + (name === undefined ? 0 : PER_NAME);
    const rules = this.#rules.get(key) ?? [];
    this.#rules.set(key, rules);
    for (const effect of effects) {
      // Pages fade their texts in, or unfold them, so a rule for many elements says little.
      if (effect.hides && !(always && isExact && effect.by !== 'fading')) continue;
      if (rules.length >= MAX_RULES_PER_NAME) return;
      this.#count += 1;
      rules.push({
        ...effect,
        needs,
        weight: weight + (effect.important ? PER_IMPORTANCE : 0) + this.#count,
      });
    }
  }

  /**
   * Whether an element is hidden by the style sheets or by its own style.
   * @param names its name, its classes (`.a`) and its id (`#b`)
   */
  hides(names: readonly string[], ownStyle: string): boolean {
    if (this.#count === 0 && ownStyle === '') return false;
    const winners = new Map<StyleEffect['by'], { hides: boolean; weight: number }>();
    const has = new Set(names);
    for (const name of has) {
      if (this.#comparisons > MAX_COMPARISONS) break;
      for (const rule of this.#rules.get(name) ?? []) {
        this.#comparisons += rule.needs.length;
        if (!rule.needs.every((each) => has.has(each))) continue;
        if (rule.weight >= (winners.get(rule.by)?.weight ?? -1)) winners.set(rule.by, rule);
      }
    }
    for (const { by, hides, important } of styleEffects(ownStyle)) {
      const weight = important ? Number.POSITIVE_INFINITY : PER_IMPORTANCE - 1;
      if (weight >= (winners.get(by)?.weight ?? -1)) winners.set(by, { hides, weight });
    }
    return [...winners.values()].some(({ hides }) => hides);
  }
}
