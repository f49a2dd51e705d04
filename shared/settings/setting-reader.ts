import { canonicalBaseUrl } from '../formats/base-url.ts';

/** Reads variables one by one and collects their faults, so that all faults can be reported together. */
export class SettingReader {
  readonly faults: string[] = [];
  /** Every name that was read. After all settings are read, these are the variables of the service. */
  readonly known = new Set<string>();
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** An empty variable counts as unset, because `FOO= npm start` is how a shell clears one. */
  raw(name: string): string | null {
    this.known.add(name);
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  fault(name: string, expected: string): void {
    this.faults.push(`${name}: expected ${expected}`);
  }

  #parse<T>(name: string, expected: string, fallback: T, parse: (value: string) => T | null): T {
    const value = this.raw(name);
    if (value === null) return fallback;
    const parsed = parse(value);
    if (parsed !== null) return parsed;
    this.fault(name, expected);
    return fallback;
  }

  text(name: string, fallback: string, max = 300): string {
    return this.#parse(name, `at most ${max} characters`, fallback, (v) => (v.length <= max ? v : null));
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.#parse(name, `a whole number from ${min} to ${max}`, fallback, (v) => {
      const n = Number(v);
      return /^\d+$/.test(v) && n >= min && n <= max ? n : null;
    });
  }

  oneOf<T>(name: string, fallback: T, values: Readonly<Record<string, T>>): T {
    return this.#parse(name, `one of ${Object.keys(values).join(', ')}`, fallback, (v) =>
      Object.hasOwn(values, v) ? (values[v] as T) : null,
    );
  }

  url(name: string, protocols: readonly string[]): string | null {
    const expected = `an absolute address beginning with ${protocols.map((p) => `${p}//`).join(' or ')}`;
    return this.#parse<string | null>(name, expected, null, (v) =>
      URL.canParse(v) && protocols.includes(new URL(v).protocol) ? v : null,
    );
  }

  baseUrl(name: string): string | null {
    const expected = 'an absolute http or https address without query and fragment';
    return this.#parse<string | null>(name, expected, null, canonicalBaseUrl);
  }

  list(name: string, expected: string, isValid: (item: string) => boolean): readonly string[] {
    return this.#parse<readonly string[]>(
      name,
      `a comma-separated list of ${expected}`,
      Object.freeze([]),
      (v) => {
        const items = v.split(',').map((item) => item.trim());
        return items.every(isValid) ? Object.freeze(items) : null;
      },
    );
  }
}
