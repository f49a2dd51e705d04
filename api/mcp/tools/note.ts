import { Type } from 'typebox';
import type { Nothing } from '../../../shared/schemas/explanation.ts';
import { countFitting, cutToJson } from '../tokens.ts';

/** What an answer says about itself. */
export interface Note {
  note?: string;
}

/** The field of an answer that says what is missing from it, and how to continue. */
export const NOTE = {
  note: Type.Optional(Type.String({ description: 'what is missing from this answer, and how to continue' })),
};

/** The room for a note. No note is longer. */
export const NOTE_TOKENS = 400;

/** The note of these sentences, or none. */
export function noteOf(...sentences: (string | false)[]): Note {
  const said = sentences.filter((sentence) => sentence !== false);
  return said.length === 0 ? {} : { note: said.join(' ') };
}

/** The most tokens of the words and of the names that an answer without results has: they are copied from the query and from documents. */
const MAX_WORDS = 3000;
const MAX_WAITING = 4000;
/** The same in its note. */
const MAX_NOTED = 100;

/** What an answer without results says of the search, as far as it fits. */
export function fitNothing(nothing: Nothing): Nothing {
  const { unknownWords, waiting } = nothing;
  return {
    ...nothing,
    unknownWords: unknownWords.slice(0, countFitting(unknownWords, MAX_WORDS)),
    waiting: waiting.slice(0, countFitting(waiting, MAX_WAITING)),
  };
}

/** Says in words why a search has found nothing, and what to do next. */
export function nothingNote({ unknownWords, waiting, nearest }: Nothing): string {
  const names = waiting.map(({ title, state }) => `${title} (${state})`);
  return [
    'Nothing was found.',
    ...(unknownWords.length === 0
      ? []
      : [`No text in this scope has: ${cutToJson(unknownWords.join(', '), MAX_NOTED)}. Use other words.`]),
    ...(names.length === 0
      ? []
      : [
          `Searches do not find yet: ${cutToJson(names.join(', '), MAX_NOTED)}. Search again later; import_status says what became of an import.`,
        ]),
    ...(nearest === null
      ? []
      : [
          `The nearest title is ${JSON.stringify(cutToJson(nearest.title, MAX_NOTED))}: fetch ${nearest.sourceId} to read it.`,
        ]),
    'Or search with fewer filters, or with another client.',
  ].join(' ');
}
