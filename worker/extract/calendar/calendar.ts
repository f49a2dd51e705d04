import { decodeText } from '../encoding/decode.ts';
import { type Extraction, type Extractor, FileFault } from '../extraction.ts';
import { existingDay } from '../properties/days.ts';
import { joinBlocks, oneLine, withoutHeadings } from '../text.ts';
import { type ContentLine, readContentLines, textValue } from './content-lines.ts';

/** An event, a task or a journal entry of a calendar. */
interface Entry {
  kind: string;
  lines: ContentLine[];
}

/** What an entry is called in its first line, by its component. */
const KINDS: Readonly<Record<string, string>> = {
  VEVENT: 'Event',
  VTODO: 'Task',
  VJOURNAL: 'Journal',
};

const DATE = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?$/;
const DAY_MS = 86_400_000;

/** A date or a time of an entry. */
interface Moment {
  /** `YYYY-MM-DD` */
  day: string;
  /** `HH:MM`; null for a whole day. */
  time: string | null;
  /** As the file names it; empty for a time without one. */
  zone: string;
}

function readMoment(line: ContentLine | undefined): Moment | null {
  const match = DATE.exec(line?.value.trim() ?? '');
  if (line === undefined || match === null) return null;
  const [, year, month, date, hour, minute, , utc] = match;
  const zone = utc === undefined ? oneLine(line.parameters.get('TZID') ?? '') : 'UTC';
  return { day: `${year}-${month}-${date}`, time: hour === undefined ? null : `${hour}:${minute}`, zone };
}

/** The day before: the end of an event of whole days is the day after its last one. */
function dayBefore(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? day : new Date(time - DAY_MS).toISOString().slice(0, 10);
}

const zoned = (text: string, zone: string) => (zone === '' ? text : `${text} (${zone})`);

function momentText({ day, time, zone }: Moment): string {
  return time === null ? day : zoned(`${day} ${time}`, zone);
}

/** `2024-05-03 09:15 to 10:00 (Europe/Berlin)` */
function periodText(start: Moment | null, end: Moment | null, duration: string): string {
  if (start === null) return end === null ? '' : `until ${momentText(end)}`;
  if (end === null) return `${momentText(start)}${duration === '' ? '' : `, for ${duration}`}`;
  if (start.time === null) {
    const last = dayBefore(end.day);
    return last > start.day ? `${start.day} to ${last}` : start.day;
  }
  if (start.zone !== end.zone) return `${momentText(start)} to ${momentText(end)}`;
  const until = end.day === start.day ? (end.time ?? '') : `${end.day} ${end.time ?? ''}`.trim();
  const isMoment = until === start.time;
  return zoned(`${start.day} ${start.time}${isMoment ? '' : ` to ${until}`}`, start.zone);
}

const DURATION = /^[+-]?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const DURATION_UNITS = ['weeks', 'days', 'hours', 'minutes', 'seconds'];

/** `PT1H30M` in words: `1 hours 30 minutes`. */
function durationText(line: ContentLine | undefined): string {
  const match = DURATION.exec(line?.value.trim() ?? '');
  return DURATION_UNITS.flatMap((unit, index) => {
    const count = match?.[index + 1];
    return count === undefined ? [] : [`${count} ${count === '1' ? unit.slice(0, -1) : unit}`];
  }).join(' ');
}

/** The rule of a series as its file writes it, with spaces: `weekly, BYDAY=MO, UNTIL=20241231`. */
function repeatText(line: ContentLine | undefined): string {
  const rules = (line?.value ?? '').split(';').map((rule) => rule.trim());
  return rules
    .filter((rule) => rule !== '')
    .map((rule) => (rule.startsWith('FREQ=') ? rule.slice(5).toLowerCase() : rule))
    .join(', ');
}

const MAILTO = /^mailto:/i;

/** A person: the name and the address. */
function personText({ value, parameters }: ContentLine): string {
  const address = value.trim().replace(MAILTO, '');
  const name = parameters.get('CN') ?? '';
  return name === '' || name === address ? address : `${name} <${address}>`;
}

/** The text of an entry: a line for each thing that a calendar shows of it, with no empty line. */
function entryText({ kind, lines }: Entry): string {
  const one = (name: string) => lines.find((line) => line.name === name);
  const all = (name: string) => lines.filter((line) => line.name === name);
  const text = (name: string) => all(name).map(textValue).join(', ');
  const period = periodText(
    readMoment(one('DTSTART')),
    readMoment(one('DTEND')),
    durationText(one('DURATION')),
  );
  const due = readMoment(one('DUE'));
  const status = text('STATUS');
  const fields: [label: string, value: string][] = [
    [kind, text('SUMMARY')],
    ['When', period],
    ['Due', due === null ? '' : momentText(due)],
    ['Repeats', repeatText(one('RRULE'))],
    ['Where', text('LOCATION')],
    ['Organizer', all('ORGANIZER').map(personText).join(', ')],
    ['Attendees', all('ATTENDEE').map(personText).join(', ')],
    ['Categories', text('CATEGORIES')],
    // The others say what everybody expects of an event.
    [
      'Status',
      /^(?:CANCELLED|TENTATIVE|COMPLETED|IN-PROCESS|NEEDS-ACTION)$/i.test(status) ? status.toLowerCase() : '',
    ],
    ['Link', text('URL')],
    ['Description', text('DESCRIPTION').replace(/\n\s*\n/g, '\n')],
    ['Comment', text('COMMENT')],
  ];
  const said = fields.filter(([, value]) => value.trim() !== '');
  return withoutHeadings(
    said.map(([label, value]) => `${label}: ${label === 'Description' ? value : oneLine(value)}`).join('\n'),
  );
}

interface Calendar {
  name: string;
  entries: Entry[];
}

/** Reads the entries of a calendar. Alarms and time zones are left out. Null if the text is no calendar. */
function readEntries(text: string): Calendar | null {
  const entries: Entry[] = [];
  let name = '';
  /** The names of the open components, outermost first. */
  const open: string[] = [];
  const counts = new Map<string, number>();
  const count = (component: string, change: number) =>
    counts.set(component, (counts.get(component) ?? 0) + change);
  let isCalendar = false;
  for (const line of readContentLines(text)) {
    const component = line.value.trim().toUpperCase();
    if (line.name === 'BEGIN') {
      open.push(component);
      count(component, 1);
      isCalendar ||= component === 'VCALENDAR';
      const kind = KINDS[component];
      if (kind !== undefined) entries.push({ kind, lines: [] });
    } else if (line.name === 'END') {
      // Components that were not closed end with the one around them. One that is not open is not looked for.
      for (let last = ''; last !== component && (counts.get(component) ?? 0) > 0; ) {
        last = open.pop() ?? component;
        count(last, -1);
      }
    } else if (KINDS[open.at(-1) ?? ''] !== undefined) entries.at(-1)?.lines.push(line);
    else if (line.name === 'X-WR-CALNAME' && name === '') name = oneLine(textValue(line));
  }
  return isCalendar ? { name, entries } : null;
}

/** What a calendar tells, and its text. */
interface CalendarText {
  /** The name of the calendar or the summary of its only entry. */
  title: string | null;
  /** The day of its only entry, `YYYY-MM-DD`. */
  date: string | null;
  /** A block of lines for each event and task. */
  text: string;
}

/**
 * Reads a calendar (iCalendar, RFC 5545): its events and tasks.
 * @returns null if the text is no calendar
 */
function readCalendar(text: string): CalendarText | null {
  const calendar = readEntries(text);
  if (calendar === null) return null;
  const { name, entries } = calendar;
  const [first, ...others] = entries;
  const only = others.length === 0 ? first : undefined;
  const line = (wanted: string) => only?.lines.find((each) => each.name === wanted);
  const summary = line('SUMMARY');
  const title = name || (summary === undefined ? '' : oneLine(textValue(summary)));
  const day = readMoment(line('DTSTART') ?? line('DUE'))?.day;
  return {
    title: title === '' ? null : title,
    date: day === undefined ? null : existingDay(day),
    text: joinBlocks(entries.map(entryText)),
  };
}

/** The events and tasks of a calendar as text, a block of lines for each; empty if the text is no calendar. */
export function calendarText(text: string): string {
  return readCalendar(text)?.text ?? '';
}

/**
 * Reads a calendar file.
 * @throws FileFault `invalid_calendar` and those of `decodeText`
 */
export const extractCalendar: Extractor = (content): Extraction => {
  const { text, encoding } = decodeText(content);
  const calendar = readCalendar(text);
  if (calendar === null) {
    throw new FileFault(
      'invalid_calendar',
      'The file is not a calendar: it has no line "BEGIN:VCALENDAR". Export it again from the calendar.',
    );
  }
  const { title, date, text: entries } = calendar;
  return { title, date, parts: [{ text: entries, place: null }], encoding };
};
