import { join } from 'node:path';
import { buildClient } from './cli/packaging/build-client.ts';
import { buildConsole } from './web/build.ts';

/*
 * `npm run build`: makes what the service serves and Git does not have: the console, and the package of the terminal client.
 */

const output = 'cli/dist/cli.tgz';
await Promise.all([buildClient(join(import.meta.dirname, output)), buildConsole()]);
console.log(`Built ${output} and web/dist`);
