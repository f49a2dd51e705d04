import { decodeText } from './encoding/decode.ts';
import type { Extractor } from './extraction.ts';
import { decodeReferences } from './html/entities.ts';
import { joinBlocks, oneLine, storable, withoutHeadings } from './text.ts';

/** The line that says when a text is shown: `00:01:05.000 --> 00:01:08.000`. The hours can be missing. */
const TIMING = /^\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,]\d+)?\s*-->/;
/** Blocks of WebVTT that nobody reads. */
const SETTINGS = /^(?:NOTE|REGION|STYLE|WEBVTT)(?=[\s:-]|$)/;
const VOICE = /<v(?:\.[^\s<>]*)?\s([^<>]+)>/;
const TAG = /<\/?[\w.:]+(?:\s[^<>]*)?>|\{\\[^{}]*\}/g;
const MAX_NAME_LENGTH = 100;

/** What one person says without a long pause. */
interface Speech {
  /** In seconds. */
  start: number;
  speaker: string;
  lines: string[];
}

/** A paragraph has the text of this time at most, in seconds. */
const PARAGRAPH_SECONDS = 60;

const twoDigits = (value: number) => String(value).padStart(2, '0');

function timeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
}

function secondsOf(line: string): number | null {
  const [whole, hours = '0', minutes = '0', seconds = '0'] = TIMING.exec(line.slice(0, 100)) ?? [];
  return whole === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function plainLine(line: string): string {
  return oneLine(decodeReferences(line.replace(TAG, '')));
}

/** Collects what is said. */
class Transcript {
  readonly #speeches: Speech[] = [];
  #last = '';

  add(start: number, line: string): void {
    const [, name] = VOICE.exec(line) ?? [];
    const text = plainLine(line);
    // Captions that roll up show each line twice.
    if (text === '' || text === this.#last) return;
    this.#last = text;
    const open = this.#speeches.at(-1);
    const speaker = name === undefined ? '' : oneLine(name).slice(0, MAX_NAME_LENGTH);
    const continues = open !== undefined && start - open.start < PARAGRAPH_SECONDS && start >= open.start;
    if (continues && (speaker === '' || speaker === open.speaker)) open.lines.push(text);
    else this.#speeches.push({ start, speaker, lines: [text] });
  }

  toString(): string {
    const paragraphs = this.#speeches.map(({ start, speaker, lines }) => {
      const said = lines.join(' ');
      return `[${timeText(start)}] ${speaker === '' ? said : `${speaker}: ${said}`}`;
    });
    return withoutHeadings(joinBlocks(paragraphs));
  }
}

/**
 * Reads subtitles, WebVTT and SubRip: what is said, by whom, with the time at the beginning of each paragraph. Numbers,
 * positions and styles are left out.
 * @throws FileFault those of `decodeText`
 */
export const extractSubtitles: Extractor = (content) => {
  const { text, encoding } = decodeText(content);
  const transcript = new Transcript();
  let start = 0;
  for (const block of storable(text)
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)) {
    const lines = block.split('\n').filter((line) => line.trim() !== '');
    const at = lines.findIndex((line) => secondsOf(line) !== null);
    const first = lines[0] ?? '';
    // A number of a cue that has no text.
    if (at === -1 && (SETTINGS.test(first) || /^\s*\d+\s*$/.test(first))) continue;
    for (const [index, line] of lines.entries()) {
      const time = secondsOf(line);
      if (time !== null) start = time;
      // The line above the time is the number or the name of the cue.
      else if (index > at - 1 && secondsOf(lines[index + 1] ?? '') === null) transcript.add(start, line);
    }
  }
  return { title: null, parts: [{ text: transcript.toString(), place: null }], encoding };
};
