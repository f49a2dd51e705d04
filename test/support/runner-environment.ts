/** Where the runner gathers what was covered, and where it keeps compiled code. */
const NAMES = ['NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'];

/** What of the tests' own environment goes along to processes that they start: what the runner set for all of them. */
export function runnerEnvironment(): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
