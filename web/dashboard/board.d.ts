import type { Session } from '../../shared/schemas/accounts.ts';

/** The types of board.js for the console. The dashboard itself is not type-checked. */
export function openBoard(
  watched: { token: string; user: Session['user']; team: Session['teams'][number] },
  on: {
    title(what: string): void;
    session(now: Omit<Session, 'token'>): Session['teams'][number] | null;
    ended(reply: { status: number }): void;
  },
): { close(): void };
