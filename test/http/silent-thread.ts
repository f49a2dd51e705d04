import { BroadcastChannel } from 'node:worker_threads';

/** The channel on which a thread tells that it has begun with a body. */
export const BEGUN = 'a silent thread has begun with a body';

/** Begins to parse a body and never ends, so that a test can end the thread in between. */
export default function parseForever(): Promise<never> {
  const channel = new BroadcastChannel(BEGUN);
  channel.postMessage(null);
  channel.close();
  return new Promise(() => undefined);
}
