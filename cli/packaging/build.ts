import { join } from 'node:path';
import { buildClient } from './build-client.ts';

/*
 * `npm run build`: makes what the service serves and Git does not have, which is the package of the terminal client.
 */

const output = 'cli/dist/cli.tgz';
await buildClient(join(import.meta.dirname, '../..', output));
console.log(`Built ${output}`);
