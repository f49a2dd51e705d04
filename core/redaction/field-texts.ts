import type { Redaction } from '../../shared/schemas/common.ts';
import type { Found, SecretInput } from '../../shared/secrets/find-secrets.ts';

/** Where a text is: the value of a field or an item, or the name of a field. */
interface Place {
  parent: Place | null;
  key: string | number;
  /** Index in `inputs` of the name of the field, if it is checked. */
  nameInput: number | null;
}

/** A name of so few letters is not a credential. */
const PLAIN_NAME = /^[a-zA-Z]{1,20}$/;

/** The texts in a JSON value, in order: the names of its fields and the strings. */
export class FieldTexts {
  readonly inputs: SecretInput[] = [];
  readonly #value: unknown;
  readonly #places: { place: Place | null; isName: boolean }[] = [];

  constructor(value: unknown) {
    this.#value = value;
    this.#collect(value, null);
  }

  #collect(value: unknown, place: Place | null): void {
    if (typeof value === 'string') {
      const isNamed = typeof place?.key === 'string';
      this.#add(isNamed ? { text: value, name: place.key as string } : { text: value }, place, false);
    } else if (Array.isArray(value)) {
      for (const [key, item] of value.entries()) this.#collect(item, { parent: place, key, nameInput: null });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const own: Place = { parent: place, key, nameInput: null };
        if (!PLAIN_NAME.test(key)) own.nameInput = this.#add({ text: key }, own, true);
        this.#collect(item, own);
      }
    }
  }

  #add(input: SecretInput, place: Place | null, isName: boolean): number {
    this.#places.push({ place, isName });
    return this.inputs.push(input) - 1;
  }

  /** Returns where each finding is, by JSON pointers in which names with credentials are masked. */
  locate(found: readonly Found[], root: string): Redaction[] {
    return this.#places.flatMap(({ place }, index) => {
      const { findings = [] } = found[index] ?? {};
      if (findings.length === 0) return [];
      const path = root + pointerTo(place, found);
      return findings.map(({ rule, ...finding }) => ({ rule, path, ...finding }));
    });
  }

  /** Returns a copy of the value with masks in place of the credentials. */
  replace(found: readonly Found[]): unknown {
    let next = 0;
    const masked = () => found[next++]?.masked ?? '';
    // In the order of `#collect`.
    const copy = (value: unknown): unknown => {
      if (typeof value === 'string') return masked();
      if (Array.isArray(value)) return value.map(copy);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).map(([key, item]): [string, unknown] => [
        PLAIN_NAME.test(key) ? key : masked(),
        copy(item),
      ]);
      return Object.fromEntries(fields);
    };
    return copy(this.#value);
  }
}

function pointerTo(place: Place | null, found: readonly Found[]): string {
  const segments: string[] = [];
  for (let current = place; current !== null; current = current.parent) {
    const { key, nameInput } = current;
    const shown = nameInput === null ? String(key) : (found[nameInput]?.masked ?? '');
    segments.unshift(shown.replaceAll('~', '~0').replaceAll('/', '~1'));
  }
  return segments.map((segment) => `/${segment}`).join('');
}
