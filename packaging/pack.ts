import { join } from 'node:path';
import { makeRelease } from './release.ts';

/*
 * `npm run pack`: makes the folder `release`, which is copied to where the service runs.
 */

await makeRelease(join(import.meta.dirname, '..', 'release'));
console.log('Made release/. To start it, run there: npm ci --omit=dev && MEMORY_API_TOKEN=… npm start');
