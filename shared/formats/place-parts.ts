import type { Place } from '../schemas/sources.ts';

/** A field of a place that is known: the word that is said before its values. */
export interface PlacePart {
  word: string;
  values: readonly (string | number)[];
}

type PlaceWords = Record<keyof Place, string>;

/**
 * A place in words. The console runs it too, so it needs nothing but its argument.
 * @returns a part for each field that is known
 */
export function placeParts(place: Place): PlacePart[] {
  const words: PlaceWords = {
    part: 'Attachment',
    page: 'Page',
    slide: 'Slide',
    sheet: 'Sheet',
    row: 'From row',
    hidden: '',
    headings: '',
  };
  return Object.entries(words)
    .map(([field, word]) => {
      const value = place[field as keyof Place] ?? [];
      return { word, values: value === true ? [field] : [value].flat() };
    })
    .filter(({ values }) => values.length > 0);
}
