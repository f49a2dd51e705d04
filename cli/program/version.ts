import manifest from '../package.json' with { type: 'json' };

/** The version of the terminal client. */
export const VERSION: string = manifest.version;
