import { MAX_SUMMARY } from '../../../shared/schemas/consolidation.ts';
import type { Message } from '../transcript/record.ts';

/** A session with less text contains nothing to learn from, such as one that was opened and closed. */
const MIN_CHARACTERS = 200;

/** The longest piece of a message, in characters. Several fit in a capture, so that captures are well filled. */
const MAX_PIECE = MAX_SUMMARY / 4;

/** What one capture contains. */
export interface Part {
  text: string;
  /** The number of messages of the session up to the end of this part. */
  upTo: number;
  startedAt: string | null;
  endedAt: string | null;
}

const heading = (speaker: Message['speaker']) => `${speaker}:\n`;

/** Divides long messages, between lines if possible. */
export function splitLong(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const pieces: string[] = [];
    let { text } = message;
    while (text.length > MAX_PIECE) {
      const lineEnd = text.lastIndexOf('\n', MAX_PIECE);
      let end = lineEnd > 0 ? lineEnd : MAX_PIECE;
      // Between the two halves of a character, it would be lost.
      if (lineEnd <= 0 && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
      pieces.push(text.slice(0, end));
      text = text.slice(end).trimStart();
    }
    return [...pieces, text].filter((piece) => piece !== '').map((piece) => ({ ...message, text: piece }));
  });
}

/**
 * The next part of a session: as many messages as one capture can contain.
 * @param messages as `splitLong` returns them
 * @param from the number of messages before this part; there must be one more
 */
export function nextPart(messages: readonly Message[], from: number): Part {
  let text = '';
  let upTo = from;
  for (const { speaker, text: said } of messages.slice(from)) {
    const isSame = upTo > from && messages[upTo - 1]?.speaker === speaker;
    const added = `${text === '' ? '' : '\n\n'}${isSame ? '' : heading(speaker)}${said}`;
    if (text.length + added.length > MAX_SUMMARY) break;
    text += added;
    upTo += 1;
  }
  const times = messages.slice(from, upTo).flatMap(({ at }) => at ?? []);
  return { text, upTo, startedAt: times[0] ?? null, endedAt: times.at(-1) ?? null };
}

/**
 * Whether the messages from here on are worth a capture. What is short waits for the next messages. At the end of a
 * session no more follow, so once it has a capture, the rest is staged however short it is.
 */
export function isWorthStaging(messages: readonly Message[], from: number, isEnd: boolean): boolean {
  const rest = messages.slice(from);
  const hasCapture = from > 0;
  if (hasCapture && isEnd) return rest.length > 0;
  const hasBoth = ['Person', 'Agent'].every((one) => rest.some(({ speaker }) => speaker === one));
  const characters = rest.reduce((sum, { text }) => sum + text.length, 0);
  return characters >= MIN_CHARACTERS && (hasBoth || hasCapture);
}
