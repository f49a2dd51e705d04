import { SpanKind } from '@opentelemetry/api';
import { inStep } from '../../shared/tracing/spans.ts';

/** What a statement changes first. */
const CHANGE = /\b(insert|update|delete)\s+(?:into\s+|from\s+)?((?:memory|identity|pgboss)\.[a-z_]+)/i;
/** The table or function of ours, or of the queue's, that a statement names first. */
const TARGET = /\b(?:memory|identity|pgboss)\.[a-z_]+/i;
/** A function without a schema, if nothing of ours is named: a lock, for example. */
const FUNCTION = /^\s*select\s+([a-z_]+)\(/i;

/** The start of a text in which its names are. A longer text has the same kind of statement further on. */
const MAX_READ_CHARACTERS = 20_000;

/** The most names that are kept. Nearly all statements are constants; some lists put their text together. */
const MAX_NAMES = 1000;
const names = new Map<string, string>();

/**
 * The name of a statement in a trace: what it changes first, or else what it reads first. Made of the words of the
 * expressions above, so it can contain no value.
 */
export function statementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const start = text.slice(0, MAX_READ_CHARACTERS);
  const change = CHANGE.exec(start);
  const target = TARGET.exec(start)?.[0] ?? FUNCTION.exec(start)?.[1] ?? 'statement';
  const name = (change === null ? `select ${target}` : `${change[1]} ${change[2]}`).toLowerCase();
  if (names.size < MAX_NAMES) names.set(text, name);
  return name;
}

/** Runs one statement as a step of the active trace. */
export function inStatementSpan<T>(text: string, fn: () => Promise<T>): Promise<T> {
  return inStep(() => statementName(text), { 'db.system.name': 'postgresql' }, fn, SpanKind.CLIENT);
}
