import type { ValueType } from './value-types.ts';

/** What a default can depend on. */
export interface Surroundings {
  /** Whether the settings name a PostgreSQL database. Otherwise the database is embedded. */
  readonly hasDatabaseUrl: boolean;
  /** Memory of the machine or the container, in MiB. */
  readonly memoryMegabytes: number;
  /** The number of processor cores that this process can use. */
  readonly cores: number;
}

/** The definition of a setting. Every list of settings is made from these: see `definitions.ts`. */
export interface Setting {
  /** The environment variable. */
  readonly variable: string;
  /** More variables of the same setting. The first that is set is used, but all must be valid. */
  readonly otherVariables?: readonly string[];
  readonly type: ValueType<unknown>;
  /** The default as the text of the variable. It is parsed as a set value is. Null: there is no default. */
  readonly default: string | number | null | ((surroundings: Surroundings) => string | number);
  /** The default in words, if it is a function or is decided elsewhere. */
  readonly defaultInWords?: string;
  /** A value that is accepted, for messages, if neither the default nor the example of the type is a good one. */
  readonly example?: string;
  /** The service does not start without it. */
  readonly isRequired?: true;
  /** What the setting does, in one line: for the list of settings. */
  readonly description: string;
  /** A credential, or a text that can contain one. It has no default. */
  readonly isSecret?: true;
  /** It applies at the first start only. */
  readonly appliesAtFirstStart?: true;
}

/** The type of the value. It includes null if the setting has no default and is not required. */
export type SettingValue<S extends Setting> =
  | (S['type'] extends ValueType<infer T> ? T : never)
  | (S extends { readonly isRequired: true } ? never : S['default'] extends null ? null : never);

/** The variables of a setting; the first wins. */
export function variablesOf(setting: Setting): string[] {
  return [setting.variable, ...(setting.otherVariables ?? [])];
}

/** A value that a setting accepts, for messages. */
export function exampleOf({ example, default: byDefault, type }: Setting): string {
  if (example !== undefined) return example;
  return typeof byDefault === 'function' || byDefault === null || byDefault === ''
    ? type.example
    : String(byDefault);
}

/** The default of a setting as text, for the list of settings. */
export function defaultText(setting: Setting): string {
  if (setting.isRequired) return 'required';
  if (setting.defaultInWords !== undefined) return setting.defaultInWords;
  if (typeof setting.default === 'function')
    throw new Error(`${setting.variable} has a function as its default, which must be put in words`);
  return setting.default === null || setting.default === '' ? 'none' : String(setting.default);
}
