import type pg from 'pg';
import { withTimeout } from '../../../shared/resources/with-timeout.ts';

/** How long ending a connection can take. A dead one would never end. */
const END_MS = 1000;

/** Ends a connection that is not one of a pool. One that does not end in time is cut off. It must have a listener for errors. */
export async function endConnection(client: pg.Client): Promise<void> {
  await withTimeout(END_MS, client.end(), 'the connection did not end in time').catch(() =>
    client.connection.stream.destroy(),
  );
}
