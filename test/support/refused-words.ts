import { type Prose, proseOf } from './prose.ts';

/** A phrase, and what to write instead. */
type Refused = readonly [phrase: RegExp, instead: string];

/** Refused everywhere. */
const PHRASES: readonly Refused[] = [
  [/\banew\b/i, 'again, or new'],
  [/\bamid\b/i, 'during'],
  [/\bmeanwhile\b/i, 'since then, or by then'],
  [/\bwhoever\b/i, 'the caller, or anyone who'],
  [/\b(?:is|are) none\b/i, 'does not exist, or is not a …'],
  [/\bany more\b/i, 'no longer'],
  [/\bas (?:it|they) stands?\b/i, 'unchanged'],
  [/\bbut for\b/i, 'except'],
  [/\bno such thing\b/i, 'not found'],
  [/\bstands? beside\b/i, 'is combined with'],
  [/\bof which\b/i, 'a new sentence'],
  [/\bof what\b/i, 'the name of the thing'],
  [/\b(?:function|const) (?:take|hold)[A-Z]/, 'lock, allocate, delete, accept: what the function does'],
];

/**
 * Refused in what people read: see the glossary. A word that is part of a name is not meant: `embed.chunks`, `chunk=`,
 * `/chunks`, `"chunks"`.
 */
const WORDS: readonly Refused[] = [
  [
    /(?<![\w/=-]|\w[.]|[.]\]|"(?=chunks?"))chunks?\b(?![\w/=%-]|[.][\w[])/i,
    'passage, or `chunk` if the name is meant',
  ],
  [
    /\b(?:API|HTTP|MCP|OAuth|REST|SDK|generated|typed|concurrent|slow)[ -]clients?\b/i,
    'program, or typed code: a client is a customer',
  ],
  [/\bclients? (?:of the (?:API|service)|libraries|library)\b/i, 'program: a client is a customer'],
  [/\b(?:vectors? of|made by|(?:install|version of)) (?:the )?clients?\b/i, 'program, or terminal client'],
];

/** Each place of a text with a refused phrase, with the line on which it is. */
function placesIn(
  file: string,
  source: string,
  prose: readonly Prose[],
  refused: readonly Refused[],
): string[] {
  return prose.flatMap(({ text, start }) => {
    const first = source.slice(0, start).split('\n').length;
    return text.split('\n').flatMap((line, index) =>
      refused.flatMap(([phrase, instead]) => {
        const found = phrase.exec(line);
        return found === null ? [] : [`${file}:${first + index}: "${found[0]}": write ${instead}`];
      }),
    );
  });
}

/** The refused phrases of a file. */
export const phrasesIn = (file: string, source: string) =>
  placesIn(file, source, [{ text: source, start: 0 }], PHRASES);

/** The second words for terms of the glossary, in what people read of a file. */
export const wordsIn = (file: string, source: string) => placesIn(file, source, proseOf(file, source), WORDS);
