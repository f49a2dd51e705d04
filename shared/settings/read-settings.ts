import { exampleOf, type Setting, type SettingValue, type Surroundings, variablesOf } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Values<S extends Readonly<Record<string, Setting>>> = {
  readonly [N in keyof S]: SettingValue<S[N]>;
};

/** The text of a variable. Null if it is not set or empty, because `FOO= npm start` is how a shell clears one. */
export function variableText(env: Environment, variable: string): string | null {
  return env[variable]?.trim() || null;
}

/**
 * The line that reports an invalid variable. It never contains the value.
 * @param example a value that is accepted
 */
export function faultOf(variable: string, expected: string, example: string): string {
  return `${variable}: expected ${expected}, for example ${variable}=${example}`;
}

/** Reads a variable. Returns null if it is not set or not valid; adds a line to `faults` if it is not valid. */
function readVariable(env: Environment, variable: string, setting: Setting, faults: string[]): unknown {
  const text = variableText(env, variable);
  if (text === null) return null;
  const { type } = setting;
  const value = type.parse(text);
  if (value === null) faults.push(faultOf(variable, type.accepts, exampleOf(setting)));
  return value;
}

function defaultValue(setting: Setting, surroundings: Surroundings): unknown {
  const given = typeof setting.default === 'function' ? setting.default(surroundings) : setting.default;
  return given === null ? null : setting.type.parse(String(given));
}

function readSetting(
  env: Environment,
  setting: Setting,
  surroundings: Surroundings,
  faults: string[],
): unknown {
  const { variable, type, isRequired } = setting;
  // All are read, so that an invalid value of one that is overridden is reported now and not later.
  const values = variablesOf(setting).map((name) => readVariable(env, name, setting, faults));
  if (isRequired && variableText(env, variable) === null)
    faults.push(faultOf(variable, `${type.accepts}; it is required`, exampleOf(setting)));
  return values.find((value) => value !== null) ?? defaultValue(setting, surroundings);
}

/**
 * Reads settings from an environment. Adds a line to `faults` for each variable that is not valid, and uses its
 * default. A required value is null if it is missing, whatever its type says: the values can be used only if there are
 * no faults.
 */
export function readSettings<S extends Readonly<Record<string, Setting>>>(
  env: Environment,
  settings: S,
  surroundings: Surroundings,
  faults: string[],
): Values<S> {
  const values = Object.entries(settings).map(([name, setting]) => [
    name,
    readSetting(env, setting, surroundings, faults),
  ]);
  return Object.fromEntries(values) as Values<S>;
}
