import { MAX_TAG_LENGTH, normalizeTag } from '../../shared/formats/names.ts';
import { runAtOnce } from '../../shared/resources/async.ts';
import { MAX_SUMMARY } from '../../shared/schemas/captures.ts';
import { MAX_NAME, MAX_REASON, type Redaction } from '../../shared/schemas/common.ts';
import { MAX_FEEDBACK_NOTE } from '../../shared/schemas/feedback.ts';
import { MAX_CONTENT } from '../../shared/schemas/memories.ts';
import { MAX_QUERY } from '../../shared/schemas/search.ts';
import { MAX_CHUNK, MAX_URI } from '../../shared/schemas/sources.ts';
import { type Found, findSecrets, masksIn, type SecretInput } from '../../shared/secrets/find-secrets.ts';
import { ITEMS_PER_STEP } from '../../shared/secrets/ranges.ts';
import { cutCharacters } from '../../shared/text/characters.ts';

/*
 * A mask can be longer than the credential that it replaces, so a text within its bound can exceed it when it is masked.
 * The request is valid all the same, because the bounds apply to the text that was given. The stored text is cut.
 */

/**
 * Cuts a masked text to a number of characters. A mask that would be cut in two is left out, because its beginning could
 * count as a credential when the text is checked again.
 * @yields after each step of some milliseconds at most
 */
export function* cutMaskedInSteps(text: string, most: number): Generator<undefined, string> {
  const kept = cutCharacters(text, most);
  if (kept.length === text.length) return text;
  for (const mask of masksIn(text)) {
    if (mask === undefined) {
      yield;
      continue;
    }
    const { start, end } = mask;
    if (start >= kept.length) break;
    if (end <= kept.length) continue;
    const before = kept.slice(0, start);
    // A required text must not become blank. A mask by itself is shorter than every bound.
    return before.trim() === '' ? text.slice(start, end) : before;
  }
  return kept;
}

/** Cuts a short masked text at once. */
export function cutMasked(text: string, most: number): string {
  return runAtOnce(cutMaskedInSteps(text, most));
}

type Cut = (masked: string) => Generator<undefined, string>;

/** How the texts of fields are cut, by the names of the fields. A field that is not listed has no bound of its own. */
interface Bounds {
  readonly [field: string]: Cut | Bounds;
}

const toAtMost =
  (most: number): Cut =>
  (masked) =>
    cutMaskedInSteps(masked, most);

/** The bound of a field. */
function boundOf(bounds: Bounds, field: string | number): Cut | Bounds | undefined {
  // A field of metadata can have the name of a method.
  return Object.hasOwn(bounds, field) ? bounds[field] : undefined;
}

/** Of the fields of requests. `maskedId` cuts ids. */
const BOUNDS: Bounds = {
  title: toAtMost(MAX_NAME),
  filename: toAtMost(MAX_NAME),
  uri: toAtMost(MAX_URI),
  // It becomes the uri of a source.
  path: toAtMost(MAX_URI),
  summary: toAtMost(MAX_SUMMARY),
  content: toAtMost(MAX_CONTENT),
  note: toAtMost(MAX_FEEDBACK_NOTE),
  reason: toAtMost(MAX_REASON),
  query: toAtMost(MAX_QUERY),
  // In lower case, a tag can be longer.
  tags: (masked) => cutMaskedInSteps(normalizeTag(masked), MAX_TAG_LENGTH),
  chunks: { text: toAtMost(MAX_CHUNK) },
  // Its fields can have the same names.
  metadata: {},
};

/** Where a text is: the value of a field or an item, or the name of a field. */
interface Place {
  parent: Place | null;
  key: string | number;
  /** The fields of its object; null for an item of a list. */
  fields: readonly Field[] | null;
}

/** The value of a field. */
interface Field extends Place {
  key: string;
  fields: readonly Field[];
  /** Index in `inputs` of the name of the field, if it is checked. */
  nameInput: number | null;
}

/** A name of so few letters is not a credential. */
const PLAIN_NAME = /^[a-zA-Z]{1,20}$/;
/** A shorter number is not a credential. */
const MIN_NUMBER = 10_000_000;

/** The text of a value that is searched: a string, or a long number that has a name. Null: it is not searched. */
function searchedText(value: unknown, name: string | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && name !== undefined && Math.abs(value) >= MIN_NUMBER) return String(value);
  return null;
}

/** The texts in a JSON value, in order: the names of its fields, the strings and the long numbers. */
export class FieldTexts {
  readonly #value: unknown;
  readonly #inputs: SecretInput[] = [];
  readonly #places: (Place | null)[] = [];
  /** The fields of each object, in the order of `#collect`. */
  readonly #objects: (readonly Field[])[] = [];
  #found: readonly Found[] = [];
  readonly #names = new Map<readonly Field[], ReadonlyMap<Place, string>>();
  readonly #pointers = new Map<Place, string>();
  /** The values and the characters of names that were looked at since the last step. */
  #work = 0;

  private constructor(value: unknown) {
    this.#value = value;
  }

  /** @yields after each step of some milliseconds at most, as all generators of this class */
  static *collect(value: unknown): Generator<undefined, FieldTexts> {
    const texts = new FieldTexts(value);
    yield* texts.#collect(value, null, undefined);
    return texts;
  }

  #isStepDone(): boolean {
    if (this.#work < ITEMS_PER_STEP) return false;
    this.#work = 0;
    return true;
  }

  /** @param name of the field that the value is in, directly or in a list */
  *#collect(value: unknown, place: Place | null, name: string | undefined): Generator<undefined, void> {
    this.#work += 1;
    if (this.#isStepDone()) yield;
    const text = searchedText(value, name);
    if (text !== null) {
      this.#add(name === undefined ? { text } : { text, name }, place);
    } else if (Array.isArray(value)) {
      for (const [key, item] of value.entries()) {
        yield* this.#collect(item, { parent: place, key, fields: null }, name);
      }
    } else if (typeof value === 'object' && value !== null) {
      const fields: Field[] = [];
      this.#objects.push(fields);
      for (const [key, item] of Object.entries(value)) {
        const own: Field = { parent: place, key, fields, nameInput: null };
        fields.push(own);
        if (!PLAIN_NAME.test(key)) own.nameInput = this.#add({ text: key }, own);
        yield* this.#collect(item, own, key);
      }
    }
  }

  #add(input: SecretInput, place: Place | null): number {
    this.#places.push(place);
    return this.#inputs.push(input) - 1;
  }

  /** Searches for credentials. Returns whether there are any. */
  *search(): Generator<undefined, boolean> {
    this.#found = yield* findSecrets(this.#inputs);
    return this.#found.some(({ findings }) => findings.length > 0);
  }

  /** Returns where the first findings are, by JSON pointers in which names with credentials are masked. */
  *locate(root: string, most: number): Generator<undefined, Redaction[]> {
    const located: Redaction[] = [];
    for (const [index, place] of this.#places.entries()) {
      this.#work += 1;
      if (this.#isStepDone()) yield;
      const { findings = [] } = this.#found[index] ?? {};
      if (findings.length === 0) continue;
      const path = root + this.#pointerTo(place);
      for (const { rule, ...finding } of findings.slice(0, most - located.length)) {
        located.push({ rule, path, ...finding });
      }
      if (located.length === most) break;
    }
    return located;
  }

  #pointerTo(place: Place | null): string {
    if (place === null) return '';
    const known = this.#pointers.get(place);
    if (known !== undefined) return known;
    const { key, parent, fields } = place;
    const shown = fields === null ? String(key) : (this.#namesOf(fields).get(place) ?? '');
    const pointer = `${this.#pointerTo(parent)}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    this.#pointers.set(place, pointer);
    return pointer;
  }

  /** Returns a copy of the value with masks in place of the credentials, in which no field exceeds its bound. */
  *replace(): Generator<undefined, unknown> {
    return yield* this.#copy(this.#value, undefined, BOUNDS, { input: 0, object: 0 });
  }

  /** @param next the indices of the next text and of the next object, in the order of `#collect` */
  *#copy(
    value: unknown,
    name: string | undefined,
    bounds: Bounds,
    next: { input: number; object: number },
  ): Generator<undefined, unknown> {
    this.#work += 1;
    if (this.#isStepDone()) yield;
    if (searchedText(value, name) !== null) {
      const { findings = [], masked = '' } = this.#found[next.input++] ?? {};
      if (findings.length === 0) return value;
      const cut = boundOf(bounds, name ?? '');
      return typeof cut === 'function' ? yield* cut(masked) : masked;
    }
    if (Array.isArray(value)) {
      const copies: unknown[] = [];
      for (const item of value) copies.push(yield* this.#copy(item, name, bounds, next));
      return copies;
    }
    if (typeof value !== 'object' || value === null) return value;
    const items = Object.values(value);
    const fields = this.#objects[next.object++] ?? [];
    const names = this.#namesOf(fields);
    const copies: [string, unknown][] = [];
    for (const [index, field] of fields.entries()) {
      if (field.nameInput !== null) next.input += 1;
      const inner = boundOf(bounds, field.key);
      const copy = this.#copy(items[index], field.key, typeof inner === 'object' ? inner : bounds, next);
      copies.push([names.get(field) ?? '', yield* copy]);
    }
    return Object.fromEntries(copies);
  }

  /** The names of the fields of an object, with masks. Of names that become the same, the later ones have a number. */
  #namesOf(fields: readonly Field[]): ReadonlyMap<Place, string> {
    const known = this.#names.get(fields);
    if (known !== undefined) return known;
    const maskedOf = ({ key, nameInput }: Field) =>
      nameInput === null ? key : (this.#found[nameInput]?.masked ?? '');
    const taken = new Set(fields.filter((field) => maskedOf(field) === field.key).map(({ key }) => key));
    const counts = new Map<string, number>();
    const names = new Map<Place, string>();
    for (const field of fields) {
      const masked = maskedOf(field);
      let shown = masked;
      if (masked !== field.key) {
        let count = counts.get(masked) ?? 1;
        while (taken.has(shown)) shown = `${masked} ${++count}`;
        counts.set(masked, count);
        taken.add(shown);
      }
      names.set(field, shown);
      this.#work += 1 + shown.length;
    }
    this.#names.set(fields, names);
    return names;
  }
}
