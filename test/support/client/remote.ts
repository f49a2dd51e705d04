import type { App } from '../../../api/types.ts';
import { API_TOKEN } from '../needs/process.ts';
import { type Caller, callerOf } from './client.ts';

/** What `callerOf` uses of an app, sent to a service that listens. */
const appAt = (base: string) =>
  ({
    inject: async ({
      method,
      url,
      headers,
      payload,
    }: Record<'method' | 'url' | 'payload', string> & {
      headers: Record<string, string>;
    }) => {
      const answer = await fetch(base + url, { method, headers, body: payload });
      const body = await answer.text();
      return {
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
        body,
        json: () => JSON.parse(body) as unknown,
      };
    },
  }) as unknown as App;

/** Someone who sends requests to a process of the service; without a token its Owner. */
export const callerAt = (url: string, token = API_TOKEN): Caller =>
  callerOf(appAt(url), { authorization: `Bearer ${token}` });
