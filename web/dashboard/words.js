import { serviceNow } from './clock.js';
import { put } from './element.js';

// Numbers and times are formatted in the locale of the browser. The words around them are English, like the page.
const whole = new Intl.NumberFormat();
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export const count = (n) => whole.format(n);

/** Formats a number from 0 to 1 as a percentage. */
export const share = (n) => percent.format(n);

/** Formats a rate, which can be a fraction. */
export const rate = (n) => (n > 0 && n < 0.1 ? `less than ${tenths.format(0.1)}` : tenths.format(n));

export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** Formats a duration in words, in the largest unit that gives two or more. */
export function duration(seconds) {
  if (seconds < 2 * MINUTE) return counted(Math.max(0, Math.round(seconds)), 'second');
  if (seconds < 2 * HOUR) return counted(Math.round(seconds / MINUTE), 'minute');
  if (seconds < 2 * DAY) return counted(Math.round(seconds / HOUR), 'hour');
  return counted(Math.round(seconds / DAY), 'day');
}

/** Formats an amount of memory or the size of a file. */
export function size(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1024 ** step;
  return `${step === 0 || amount >= 100 ? whole.format(Math.round(amount)) : tenths.format(amount)} ${units[step]}`;
}

/** The age of a time, in seconds, by the clock of the service. */
export const ageOf = (time) => Math.max(0, (serviceNow() - Date.parse(time)) / 1000);

/** Shows the age of a time, such as "3 minutes ago". The time itself is shown as a tooltip. */
export function showAge(node, time) {
  put(node, `${duration(ageOf(time))} ago`);
  setMoment(node, time);
}

/** Shows a time of day, with the date unless it is today. */
export function showMoment(node, milliseconds) {
  const moment = new Date(milliseconds);
  const today = moment.toDateString() === new Date().toDateString();
  put(node, (today ? timeOfDay : dayAndTime).format(moment));
  setMoment(node, moment.toISOString());
}

function setMoment(node, time) {
  if (node.dateTime === time) return;
  node.dateTime = time;
  node.title = dayAndTime.format(new Date(time));
}
