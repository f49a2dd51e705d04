/** The environment without what npm has set for its scripts: the options of the npm that runs us are not for others. */
export function ownEnvironment(): Record<string, string | undefined> {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !name.toLowerCase().startsWith('npm_')));
}
