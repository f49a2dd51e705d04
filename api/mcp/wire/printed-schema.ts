import type { TSchema } from 'typebox';

/**
 * The keywords that programs refuse or cannot use: servers on llama.cpp compile the schemas to a grammar, in which a pattern
 * must be anchored (their users then see a failure of every request, not only of calls).
 */
const UNPRINTED: ReadonlySet<string> = new Set(['pattern', 'patternProperties']);
/** Lengths and counts, which a grammar repeats. */
const COUNTS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);
/** The most repetitions that llama.cpp compiles. */
const MAX_PRINTED_COUNT = 2_000;

/**
 * A schema as programs see it: without the keywords that some of them refuse. A length that is left out is in the
 * description, so that a model knows it. Calls are checked with the whole schema.
 */
export function toPrintedSchema<T extends TSchema>(schema: T): T {
  return printed(schema) as T;
}

function printed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(printed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { description, ...keywords } = schema as Record<string, unknown>;
  const kept: Record<string, unknown> = {};
  const limits: string[] = typeof description === 'string' ? [description] : [];
  for (const [keyword, value] of Object.entries(keywords)) {
    if (keyword === 'properties') kept[keyword] = printedProperties(value as Record<string, unknown>);
    else if (COUNTS.has(keyword) && Number(value) > MAX_PRINTED_COUNT) {
      if (keyword === 'maxLength') limits.push(`at most ${Number(value).toLocaleString('en')} characters`);
    } else if (!UNPRINTED.has(keyword)) kept[keyword] = printed(value);
  }
  return limits.length === 0 ? kept : { ...kept, description: limits.join('; ') };
}

/** The schemas of fields. The name of a field is no keyword. */
function printedProperties(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, printed(field)]));
}
