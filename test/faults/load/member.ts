import { send } from './client.ts';

/** Signs a new Team Member up by invite. Returns the token of the session. */
export async function joinAsMember(url: string, email: string): Promise<string> {
  const invited = await send(url, {
    method: 'POST',
    path: '/v1/team/invites',
    body: { email, role: 'member' },
  });
  const { token: invite } = (invited.json ?? {}) as { token?: string };
  if (invite === undefined) throw new Error(`no invite was created: ${invited.status} ${invited.text}`);
  const joined = await send(url, {
    method: 'POST',
    path: '/v1/auth/join',
    body: { token: invite, name: 'A member', password: 'correct-horse-battery-staple' },
    token: null,
  });
  const { token } = (joined.json ?? {}) as { token?: string };
  if (token === undefined) throw new Error(`the invite was not accepted: ${joined.status} ${joined.text}`);
  return token;
}
