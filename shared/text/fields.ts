import { splitCharacters } from './characters.ts';

/** What is known of a source apart from its text, and finds its chunks too. */
export interface SourceFields {
  title: string;
  /** `YYYY-MM-DD`: the date of the document if it is known, else the day on which the source was created, in UTC. */
  date: string;
  /** Its tags, and the name of the file that was imported. In any order. */
  labels: readonly string[];
}

/** The day of a time in UTC, as `YYYY-MM-DD`; null if the time is not valid or its year has no four digits. */
export function dayOf(time: Date): string | null {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time.toISOString().slice(0, 10) : null;
}

/** The fields of a source that is created now, from a document that does not tell its date. */
export const fieldsNow = (title: string, labels: readonly string[] = []): SourceFields => ({
  title,
  date: dayOf(new Date()) ?? '',
  labels,
});

/** The fields of a source that was created on this day; null if it is created now. */
export const fieldsOn = (day: string | null, title: string, labels: readonly string[] = []): SourceFields =>
  day === null ? fieldsNow(title, labels) : { title, date: day, labels };

/** The words that find a chunk besides those of its text. */
export function fieldsText({ title, date, labels }: SourceFields, headings: readonly string[]): string {
  return [title, ...headings, date, ...labels].join('\n');
}

/**
 * The texts from which the terms of a chunk are made. The heading row of a table that it repeats is a field: it finds the
 * chunk, and does not count towards its length.
 * @param fields what `fieldsText` returns
 */
export function indexedTexts(
  { text, repeated }: { text: string; repeated: number },
  fields: string,
): { text: string; fields: string } {
  const [heading, own] = splitCharacters(text, repeated);
  return { text: own, fields: heading === '' ? fields : `${fields}\n${heading}` };
}

/** The text from which the vector of a chunk is made: the title of the source and the headings above the chunk come first. */
export function embeddedText(title: string, headings: readonly string[], text: string): string {
  return `${[...new Set([title, ...headings])].join(' > ')}\n\n${text}`;
}
