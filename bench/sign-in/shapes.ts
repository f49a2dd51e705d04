/** What the processes of the sign-in bench tell each other. */

/** Sign-ins that must not be told apart. */
export const KINDS = ['unknown email', 'wrong password', 'closed account', 'no password set'] as const;
export type Kind = (typeof KINDS)[number];

/** The right password of every account that has one. */
export const PASSWORD = 'the password of everyone here';
/** Where all requests come from: trusted, so that each can be sent as from an address of its own. */
export const PROXY = '127.0.0.1';

/** Where the service listens, and who is there. */
export interface Announcement {
  url: string;
  /** Of a session in the Team that is searched. */
  headers: Record<string, string>;
  emails: Record<Kind, string[]>;
}

/** What `load.ts` is to do: sign in with the right password, so many at once, again and again. */
export interface LoadOrder {
  url: string;
  emails: string[];
  atOnce: number;
}

/** What became of the sign-ins: how many were answered with each status, and how long they took. */
export interface LoadReport {
  rounds: number;
  statuses: Record<string, number>;
  /** Milliseconds of those that were let in. */
  times: number[];
}

/** A sign-in as the service gets it. */
export function loginRequest(url: string, from: string, email: string, password: string) {
  return {
    url: `${url}/v1/auth/login`,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ email, password }),
  };
}

let sent = 0;

/** Addresses that do not repeat within a minute, so that no limit is reached. */
export function nextAddress(): string {
  sent = (sent + 1) % 2 ** 24;
  return ['10', sent >> 16, (sent >> 8) & 255, sent & 255].join('.');
}
