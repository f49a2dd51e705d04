import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { slowOf } from '../expressions/expression-run.ts';

const MIB = 1024 * 1024;

/** The expressions that a rule runs on a text. */
function expressionsOf(rule: (typeof rules)[number]): RegExp[] {
  const expressions: RegExp[] = [];
  const content = {
    matchAll: (expression: RegExp) => {
      expressions.push(expression);
      return [];
    },
  };
  const context = { createTranslator: () => () => ({ message: '' }), report: () => undefined };
  const handler = (rule.create as (context: object, options: object) => { file(source: object): void })(
    context,
    {},
  );
  handler.file({ content, contentType: 'text' });
  return expressions;
}

describe('the expressions of the preset', () => {
  it('every expression finishes in time on its worst case of 1 MiB', () => {
    const used = rules.filter(({ meta }) => !/-(?:filter-comments|gcp)$/.test(meta.id));
    const expressions = used.flatMap(expressionsOf);
    assert.ok(expressions.length > 30, `${expressions.length} expressions`);
    const runs = expressions.map((expression) => ({ expression, length: MIB }));
    assert.deepEqual(slowOf(runs, 30), []);
  });
});
