import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyNode, Property } from 'acorn';
import { transformSync } from 'esbuild';
import { ROOT } from '../../support/root.ts';
import { nodesIn, parseModule } from '../../support/syntax.ts';

/** A regular expression in product code. */
export interface FoundExpression {
  file: string;
  /** Null if only the running code knows it. */
  expression: RegExp | null;
  /** `/…/flags`, or the call that makes it. */
  written: string;
}

const PRODUCT_CODE = ['start.ts', '{api,worker,core,shared,db,cli,web}/**/*.{ts,tsx,js}'];
/** Methods that make an expression of a string. */
const STRING_TO_EXPRESSION = new Set(['match', 'matchAll', 'search']);

const literalText = (node: AnyNode | undefined) =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null;

function nameOf(key: Property['key']): string | null {
  return key.type === 'Identifier' ? key.name : literalText(key);
}

const found = (expression: RegExp) => ({ expression, written: String(expression) });

/** The expression that a node of the syntax tree makes, if it makes one. */
function expressionOf(node: AnyNode, source: string): Omit<FoundExpression, 'file'> | null {
  if (node.type === 'Literal' && node.regex != null) {
    const { pattern, flags } = node.regex;
    return found(new RegExp(pattern, flags));
  }
  if (node.type === 'Property' && nameOf(node.key) === 'pattern') {
    // A schema's: the validator makes it an expression with the flag `u`.
    const text = literalText(node.value);
    return text === null ? null : found(new RegExp(text, 'u'));
  }
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return null;
  const { callee } = node;
  if (callee.type === 'Identifier' && callee.name === 'RegExp')
    return { expression: null, written: source.slice(node.start, node.end) };
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return null;
  const text = literalText(node.arguments[0]);
  if (text === null || !STRING_TO_EXPRESSION.has(callee.property.name)) return null;
  return found(new RegExp(text, 'g'));
}

/** The regular expressions in a text of JavaScript or TypeScript. */
export function expressionsIn(source: string, isTypeScript = true): Omit<FoundExpression, 'file'>[] {
  const { tree, text } = parseModule(source, isTypeScript);
  return [...nodesIn(tree)].flatMap((node) => expressionOf(node, text) ?? []);
}

/** All regular expressions in product code. Several that are written alike in one file are one. */
export function findExpressions(): FoundExpression[] {
  const files = globSync(PRODUCT_CODE, { cwd: ROOT, exclude: ['web/dist/**'] }).filter(
    (file) => !file.endsWith('.d.ts'),
  );
  const all = files.sort().flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const source = file.endsWith('.tsx')
      ? transformSync(text, { loader: 'tsx', jsx: 'automatic' }).code
      : text;
    return expressionsIn(source, file.endsWith('.ts')).map((expression) => ({ file, ...expression }));
  });
  return [...new Map(all.map((each) => [`${each.file} ${each.written}`, each])).values()];
}
