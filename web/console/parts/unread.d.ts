import type { Unread } from '../../../shared/schemas/unread.ts';

/** Made by the service, so that the console says what was not read as the terminal client does. */
export declare function unreadWords(unread: readonly Unread[]): string;
export declare function unreadLine(unread: readonly Unread[]): string;
