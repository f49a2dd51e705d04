import { SpanKind } from '@opentelemetry/api';
import { inStep } from '../../shared/tracing/spans.ts';

/** The first word of a statement. */
const VERB = /^\s*([a-z]+)/i;
/** The first table or function of our schemas, or of the queue's. */
const TARGET = /\b(?:memory|identity|pgboss)\.[a-z_]+/i;
/** A function without a schema, if nothing of ours is named: a lock, for example. */
const FUNCTION = /^\s*select\s+([a-z_]+)\(/i;

/** The start of a text in which its names are. A longer text has the same kind of statement further on. */
const MAX_READ_CHARACTERS = 20_000;

/** The most names that are kept. Nearly all statements are constants; some lists put their text together. */
const MAX_NAMES = 1000;
const names = new Map<string, string>();

/**
 * The name of a statement in a trace: its verb, and the table or function of ours that it names first. Made of these
 * words only, so it can contain no value.
 */
export function statementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const start = text.slice(0, MAX_READ_CHARACTERS);
  const verb = VERB.exec(start)?.[1] ?? 'statement';
  const target = TARGET.exec(start)?.[0] ?? FUNCTION.exec(start)?.[1];
  const name = (target === undefined ? verb : `${verb} ${target}`).toLowerCase();
  if (names.size < MAX_NAMES) names.set(text, name);
  return name;
}

/** The claims of a transaction. Every transaction has them, and they are sent in one packet with its `begin`. */
const CLAIMS = 'select set_config';

/** Runs one statement as a step of the active trace. */
export function inStatementSpan<T>(text: string, fn: () => Promise<T>): Promise<T> {
  if (text.startsWith(CLAIMS)) return fn();
  return inStep(() => statementName(text), { 'db.system.name': 'postgresql' }, fn, SpanKind.CLIENT);
}
