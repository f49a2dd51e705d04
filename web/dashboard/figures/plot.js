import { serviceNow } from '../clock.js';
import { drawn, element, mark, put } from '../element.js';
import { count } from '../words.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** After this, a point contains everything that was done in its minute. */
const COUNTED_MS = 1.5 * MINUTE_MS;
/** Points further apart than this are not connected, because the values between them are unknown. */
const GAP_MS = 2.5 * MINUTE_MS;
const WIDTH = 600;
const HEIGHT = 100;
/** Room for the thickness of a line at the top and the bottom. */
const MARGIN = 3;

let made = 0;

/**
 * Makes a line plot of the last hour.
 * @param label the title of the plot
 * @param lines for each line its name, and a function that returns its value at a point
 * @param ended whether to leave out points whose minute is not over and counted: half a minute's work would look like a
 *   decrease
 * @returns the drawing, with a description in words, and `draw`, which takes the points, oldest first, and returns the
 *   top of the scale and the last point that is shown
 */
export function makePlot({ label, lines, ended = false }) {
  made += 1;
  const title = drawn('title', { id: `plot-${made}` });
  const description = drawn('desc', { id: `plot-${made}-told` });
  const area = drawn('path', { class: 'area' });
  const paths = lines.map((_line, index) => drawn('path', { class: `line line-${index}` }));
  const node = drawn(
    'svg',
    {
      class: 'plot',
      role: 'img',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      'aria-labelledby': title.id,
      'aria-describedby': description.id,
    },
    title,
    description,
    drawn('path', { class: 'base', d: `M0 ${HEIGHT - MARGIN}H${WIDTH}` }),
    area,
    // The first line is drawn on top of the others.
    ...paths.toReversed(),
  );
  title.textContent = label;
  const draw = (history) => {
    const now = serviceNow();
    const points = history
      .map((point) => ({ ...point, age: now - Date.parse(point.at) }))
      .filter(({ age }) => age <= HOUR_MS && (!ended || age >= COUNTED_MS));
    const top = roundUp(Math.max(0, ...points.flatMap((point) => lines.map(({ of }) => of(point)))));
    for (const [index, { of }] of lines.entries()) mark(paths[index], 'd', trace(points, of, top));
    mark(area, 'd', fillBelow(points, lines[0].of, top));
    put(description, describeLines(points, lines));
    return { top, last: points.at(-1) };
  };
  return { node, draw };
}

/** The next round number, for the top of a scale. */
function roundUp(most) {
  if (most <= 4) return 4;
  const step = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 6, 8, 10].map((times) => times * step).find((round) => round >= most);
}

const across = ({ age }) => Math.max(0, WIDTH * (1 - age / HOUR_MS)).toFixed(1);
const up = (value, top) => (HEIGHT - MARGIN - (value / top) * (HEIGHT - 2 * MARGIN)).toFixed(1);

/** Groups points into runs without a gap. */
function joined(points) {
  const runs = [];
  let before = null;
  for (const point of points) {
    if (before === null || before.age - point.age > GAP_MS) runs.push([]);
    runs.at(-1).push(point);
    before = point;
  }
  return runs;
}

function trace(points, of, top) {
  const along = (run) => run.map((point) => `${across(point)} ${up(of(point), top)}`).join('L');
  // A single point is a line of length 0, which is drawn as a dot because lines have round ends.
  return joined(points)
    .map((run) => `M${along(run)}${run.length === 1 ? 'h0' : ''}`)
    .join('');
}

function fillBelow(points, of, top) {
  const base = HEIGHT - MARGIN;
  return joined(points)
    .map((run) => {
      const edge = run.map((point) => `L${across(point)} ${up(of(point), top)}`).join('');
      return `M${across(run[0])} ${base}${edge}L${across(run.at(-1))} ${base}Z`;
    })
    .join('');
}

const minuteOf = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Describes the plot in words, for screen readers. */
function describeLines(points, lines) {
  const last = points.at(-1);
  if (last === undefined) return 'No figures of the last hour yet.';
  return lines
    .map(({ name, of }) => {
      const most = points.reduce((best, point) => (of(point) > of(best) ? point : best));
      const peak =
        of(most) === 0 ? '' : `, at most ${count(of(most))} at ${minuteOf.format(new Date(most.at))}`;
      return `${name}: ${count(of(last))} last${peak}.`;
    })
    .join(' ');
}

/** A large plot with its title, a legend with the last figures, and a scale. */
export function makeFigure({ label, lines, ended }) {
  const plot = makePlot({ label, lines, ended });
  const values = lines.map(() => element('b', {}, '–'));
  const legend = lines.map(({ name }, index) =>
    element('li', {}, element('span', { class: `swatch line-${index}` }), `${name} `, values[index]),
  );
  const top = element('span', { class: 'top' });
  const none = element('span', { class: 'none' });
  const node = element(
    'figure',
    {},
    element('figcaption', {}, element('h3', {}, label), element('ul', { class: 'legend' }, ...legend)),
    element('div', { class: 'frame' }, plot.node, top, none),
    element(
      'div',
      { class: 'axis', 'aria-hidden': 'true' },
      element('span', {}, '1 hour ago'),
      element('span', {}, 'now'),
    ),
  );
  top.setAttribute('aria-hidden', 'true');
  none.setAttribute('aria-hidden', 'true');
  const draw = (history) => {
    const { top: most, last } = plot.draw(history);
    put(top, last === undefined ? '' : count(most));
    put(none, last === undefined ? 'No figures of the last hour yet' : '');
    for (const [index, { of }] of lines.entries()) {
      put(values[index], last === undefined ? '–' : count(of(last)));
    }
  };
  return { node, draw };
}
