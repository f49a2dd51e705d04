import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { Nullable } from './common.ts';

/*
 * The place of a passage in its document, as far as the file format gives it. All that a further field needs is here: the
 * reader that finds it gives it with its part, and it is stored, moved and answered with the others.
 */

/** A place as answers show it. */
export const Place = Type.Object({
  headings: Type.Array(Type.String(), { description: 'headings above the passage, outermost first' }),
  page: Nullable(Type.Integer({ description: 'page number, from 1' })),
  sheet: Nullable(Type.String({ description: 'name of the sheet of a spreadsheet' })),
  row: Nullable(Type.Integer({ description: 'first row of the sheet in the passage, from 1' })),
  slide: Nullable(Type.Integer({ description: 'slide number, from 1' })),
});
export type Place = Static<typeof Place>;

/** The place of a passage of which nothing is known. */
export const NO_PLACE: Place = { headings: [], page: null, sheet: null, row: null, slide: null };

/** A place as it is stored, in `place` of `memory.chunk`: only the fields that have a value. */
export type StoredPlace = { [Field in keyof Place]?: NonNullable<Place[Field]> };

/** Fields that are a text. */
type TextField = { [Field in keyof Place]: string extends Place[Field] ? Field : never }[keyof Place];

/** The texts of a place are copied from the document, so they are checked for credentials. Headings are with its text. */
export const PLACE_TEXTS = (Object.keys(Place.properties) as (keyof Place)[]).filter(
  (name): name is TextField => Value.Check(Place.properties[name], ''),
);

/**
 * The fields of a place that are known, and have a value of their type. A place comes from the process that read the file,
 * which the file can have taken over.
 */
export function storedPlace(given: StoredPlace): StoredPlace {
  const fields = Object.entries(Place.properties).filter(([name, schema]) => {
    const value = given[name as keyof Place];
    return value != null && Value.Check(schema, value);
  });
  return Object.fromEntries(fields.map(([name]) => [name, given[name as keyof Place]]));
}

/** A place in words, a part for each field. The name of a sheet is also the first of its headings. */
export function placeWords({ page, slide, row, headings }: Place): string[] {
  const numbers = Object.entries({ page, slide, row });
  return [
    ...numbers.flatMap(([name, number]) => (number === null ? [] : [`${name} ${number}`])),
    ...(headings.length === 0 ? [] : [headings.join(' › ')]),
  ];
}
