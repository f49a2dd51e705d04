import { Type } from 'typebox';

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
