import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * What people at work talk about, for the generated conversations. A line of the two files is a key and its phrases. In a
 * phrase, {s} is the name of the subject, {v} a value, and {o} an earlier value. Each phrase was written for these files.
 */

/** Something that can be said of a subject, and asked later. */
export interface Fact {
  /** The key of the values that it is drawn from. */
  value: string;
  /** Says it and names the subject. */
  named: readonly string[];
  /** Says it, and only the turns around it tell the subject. */
  unnamed: readonly string[];
  /** What the other person says first, and an answer that means nothing without it. */
  cued: readonly (readonly string[])[];
  /** In a later conversation: the value has changed from {o} to {v}. */
  changed: readonly string[];
  asked: readonly string[];
  /** Asks for both values. */
  askedChange: string;
}

/** A kind of subject. */
export interface SubjectKind {
  names: readonly string[];
  /** Begins to talk about the subject. */
  openings: readonly string[];
  /** Goes on about it, without a fact. */
  chat: readonly string[];
  facts: readonly Fact[];
}

type Lines = Readonly<Record<string, readonly string[]>>;

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
const linesOf = (block: string): Lines =>
  Object.fromEntries(
    block.split('\n').flatMap((line) => {
      const [key = '', ...phrases] = line.split('|').map((cell) => cell.trim());
      return phrases.length === 0 ? [] : [[key, phrases]];
    }),
  );

function factOf(block: string): Fact {
  const { value, cued = [], askedChange, ...phrases } = linesOf(block);
  return {
    ...(phrases as Pick<Fact, 'named' | 'unnamed' | 'changed' | 'asked'>),
    value: value?.[0] ?? '',
    cued: cued.flatMap((cue, at) => (at % 2 === 0 ? [[cue, cued[at + 1] ?? '']] : [])),
    askedChange: askedChange?.[0] ?? '',
  };
}

export const SUBJECT_KINDS: readonly SubjectKind[] = read('subjects.txt')
  .split('\n\n')
  .map((block) => {
    const [head = '', ...facts] = block.split(/^(?=value )/m);
    return { ...(linesOf(head) as unknown as Omit<SubjectKind, 'facts'>), facts: facts.map(factOf) };
  });

const { people, greetings, asides, ...values } = linesOf(read('small-talk.txt'));
/** Each pair talks in conversations of its own. */
export const PEOPLE = (people ?? []).map((pair) => pair.split(', ') as [string, string]);
export const GREETINGS = greetings ?? [];
/** What people say that is about none of the subjects. */
export const ASIDES = asides ?? [];
/** What the values of facts are drawn from. */
export const VALUES: Lines = values;
