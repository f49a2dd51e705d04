import type { Redaction } from '../../shared/schemas/common.ts';
import type { Found, SecretInput } from '../../shared/secrets/find-secrets.ts';
import { BOUNDS, type Bounds, boundOf } from './cut-masked.ts';

/** Where a text is: the value of a field or an item, or the name of a field. */
interface Place {
  parent: Place | null;
  key: string | number;
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
  readonly inputs: SecretInput[] = [];
  readonly #value: unknown;
  readonly #places: (Place | null)[] = [];
  /** The fields of each object, in the order of `#collect`. */
  readonly #objects: Place[][] = [];

  constructor(value: unknown) {
    this.#value = value;
    this.#collect(value, null, undefined);
  }

  /** @param name of the field that the value is in, directly or in a list */
  #collect(value: unknown, place: Place | null, name: string | undefined): void {
    const text = searchedText(value, name);
    if (text !== null) {
      this.#add(name === undefined ? { text } : { text, name }, place);
    } else if (Array.isArray(value)) {
      for (const [key, item] of value.entries()) {
        this.#collect(item, { parent: place, key, nameInput: null }, name);
      }
    } else if (typeof value === 'object' && value !== null) {
      const fields: Place[] = [];
      this.#objects.push(fields);
      for (const [key, item] of Object.entries(value)) {
        const own: Place = { parent: place, key, nameInput: null };
        fields.push(own);
        if (!PLAIN_NAME.test(key)) own.nameInput = this.#add({ text: key }, own);
        this.#collect(item, own, key);
      }
    }
  }

  #add(input: SecretInput, place: Place | null): number {
    this.#places.push(place);
    return this.inputs.push(input) - 1;
  }

  /** Returns where each finding is, by JSON pointers in which names with credentials are masked. */
  locate(found: readonly Found[], root: string): Redaction[] {
    const names = new Map(this.#objects.flatMap((fields) => [...namesOf(fields, found)]));
    return this.#places.flatMap((place, index) => {
      const { findings = [] } = found[index] ?? {};
      if (findings.length === 0) return [];
      const path = root + pointerTo(place, names);
      return findings.map(({ rule, ...finding }) => ({ rule, path, ...finding }));
    });
  }

  /** Returns a copy of the value with masks in place of the credentials, in which no field exceeds its bound. */
  replace(found: readonly Found[]): unknown {
    let [nextInput, nextObject] = [0, 0];
    // In the order of `#collect`.
    const copy = (value: unknown, name: string | undefined, bounds: Bounds): unknown => {
      const text = searchedText(value, name);
      if (text !== null) {
        const { findings = [], masked = '' } = found[nextInput++] ?? {};
        if (findings.length === 0) return value;
        const cut = boundOf(bounds, name ?? '');
        return typeof cut === 'function' ? cut(masked) : masked;
      }
      if (Array.isArray(value)) return value.map((item) => copy(item, name, bounds));
      if (typeof value !== 'object' || value === null) return value;
      const items = Object.values(value);
      const names = namesOf(this.#objects[nextObject++] ?? [], found);
      const fields = [...names].map(([{ key, nameInput }, shown], index): [string, unknown] => {
        if (nameInput !== null) nextInput += 1;
        const inner = boundOf(bounds, key);
        return [shown, copy(items[index], String(key), typeof inner === 'object' ? inner : bounds)];
      });
      return Object.fromEntries(fields);
    };
    return copy(this.#value, undefined, BOUNDS);
  }
}

/** The names of the fields of an object, with masks. Of names that become the same, the later ones have a number. */
function namesOf(fields: readonly Place[], found: readonly Found[]): Map<Place, string> {
  const maskedOf = ({ key, nameInput }: Place) =>
    nameInput === null ? String(key) : (found[nameInput]?.masked ?? '');
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
  }
  return names;
}

function pointerTo(place: Place | null, names: ReadonlyMap<Place, string>): string {
  const segments: string[] = [];
  for (let current = place; current !== null; current = current.parent) {
    const shown = names.get(current) ?? String(current.key);
    segments.unshift(shown.replaceAll('~', '~0').replaceAll('/', '~1'));
  }
  return segments.map((segment) => `/${segment}`).join('');
}
