import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { calendarText, extractCalendar } from '../../../worker/extract/calendar/calendar.ts';
import { assertDamageIsTold, extracted, testFaults, testTexts } from './extraction.ts';

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]) => calendar('BEGIN:VEVENT', ...lines, 'END:VEVENT');

describe('a calendar', () => {
  testTexts(extractCalendar, {
    'has a block for each event and task, with people, place and times as written': [
      calendar(
        'BEGIN:VTIMEZONE',
        'TZID:Europe/Berlin',
        'BEGIN:STANDARD',
        'DTSTART:19701025T030000',
        'END:STANDARD',
        'END:VTIMEZONE',
        'BEGIN:VEVENT',
        'DTSTAMP:20240401T000000Z',
        'SUMMARY:Pump\\, review',
        'DTSTART;TZID=Europe/Berlin:20240503T091500',
        'DTEND;TZID=Europe/Berlin:20240503T100000',
        'RRULE:FREQ=WEEKLY;BYDAY=FR',
        'LOCATION:Hall 4',
        'ORGANIZER;CN="Okafor, Ann":mailto:ann@example.com',
        'ATTENDEE;CN=Ben;PARTSTAT=ACCEPTED:mailto:ben@example.com',
        'ATTENDEE:MAILTO:cy@example.com',
        'DESCRIPTION:Bring the plans.\\n\\n# 1 is the va',
        ' lve.',
        'BEGIN:VALARM',
        'DESCRIPTION:Reminder',
        'END:VALARM',
        'STATUS:CANCELLED',
        'END:VEVENT',
        'BEGIN:VTODO',
        'SUMMARY:Order parts',
        'DUE;VALUE=DATE:20240510',
        'STATUS:NEEDS-ACTION',
        'END:VTODO',
      ),
      [
        'Event: Pump, review',
        'When: 2024-05-03 09:15 to 10:00 (Europe/Berlin)',
        'Repeats: weekly, BYDAY=FR',
        'Where: Hall 4',
        'Organizer: Okafor, Ann <ann@example.com>',
        'Attendees: Ben <ben@example.com>, cy@example.com',
        'Status: cancelled',
        'Description: Bring the plans.',
        '\\# 1 is the valve.',
        '',
        'Task: Order parts',
        'Due: 2024-05-10',
        'Status: needs-action',
      ].join('\n'),
    ],
    'shows one day as one day, although its end is the day after': [
      event('SUMMARY:Fair', 'DTSTART;VALUE=DATE:20240503', 'DTEND;VALUE=DATE:20240504'),
      'Event: Fair\nWhen: 2024-05-03',
    ],
    'shows the last of several days': [
      event('SUMMARY:Fair', 'DTSTART;VALUE=DATE:20240229', 'DTEND;VALUE=DATE:20240302'),
      'Event: Fair\nWhen: 2024-02-29 to 2024-03-01',
    ],
    'shows times in UTC and without a zone, and a duration': [
      event('DTSTART:20240503T230000Z', 'DTEND:20240504T003000Z') +
        event('DTSTART:20240503T2300', 'DURATION:PT1H30M'),
      'When: 2024-05-03 23:00 to 2024-05-04 00:30 (UTC)\n\nWhen: 2024-05-03 23:00, for 1 hour 30 minutes',
    ],
    'can be in quoted-printable, as old programs write it': [
      event('SUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Pr=C3=BCfung=', ' der Pumpe=', 'n'),
      'Event: Prüfung der Pumpen',
    ],
  });

  test('gives the name of the calendar, or the summary and the day of its only event', async () => {
    const only = await extracted(extractCalendar, event('SUMMARY:Fair', 'DTSTART:20240503T090000Z'));
    assert.deepEqual([only.title, only.date], ['Fair', '2024-05-03']);
    const named = await extracted(
      extractCalendar,
      calendar('X-WR-CALNAME:Shifts', 'BEGIN:VEVENT', 'SUMMARY:A'),
    );
    assert.deepEqual([named.title, named.date], ['Shifts', null]);
    const impossible = await extracted(extractCalendar, event('SUMMARY:Fair', 'DTSTART:20240231T090000Z'));
    assert.equal(impossible.date, null);
  });

  testFaults(extractCalendar, {
    'fails if it is none': ['invalid_calendar', ['SUMMARY:Fair', ''], /BEGIN:VCALENDAR/],
  });

  test('in a part of a mail is text, and other text is empty', () => {
    assert.equal(calendarText(event('SUMMARY:Fair')), 'Event: Fair');
    assert.equal(calendarText('no calendar'), '');
  });

  test('that is nested deeply is read in time', () => {
    const nested = `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\nSUMMARY:A\n'.repeat(50_000)}${'END:VEVENT\n'.repeat(50_000)}`;
    assert.equal(calendarText(nested).split('\n\n').length, 50_000);
  });

  test('with ends of what was never begun is read in time', () => {
    const text = `BEGIN:VCALENDAR\n${'BEGIN:A\n'.repeat(100_000)}${'END:B\n'.repeat(100_000)}END:A\n`;
    assert.equal(calendarText(`${text}BEGIN:VEVENT\nSUMMARY:Fair\n`), 'Event: Fair');
  });

  test('that is damaged is read, or its fault is told', () =>
    assertDamageIsTold(
      extractCalendar,
      event('SUMMARY:A', 'DTSTART;TZID="x;y":20240503T0900', 'ATTENDEE;CN=B:c'),
    ));
});
