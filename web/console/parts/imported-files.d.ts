import type { Unread } from '../../../shared/schemas/unread.ts';

/* Made by the service, so that the console needs no list of its own and says what the terminal client says. */

/** The formats that can be imported. */
export const IMPORT_FORMATS: readonly { label: string; extensions: readonly string[] }[];
/** What was not read of a file, in words. */
export declare function unreadWords(unread: readonly Unread[]): string;
/** What was not read of a file, as a sentence without a full stop. */
export declare function unreadLine(unread: readonly Unread[]): string;
