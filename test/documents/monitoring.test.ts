import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MONITORING, readAlerts, readDashboard } from '../support/alerts.ts';
import { anchorsOf, readPage } from './page.ts';

const RUNBOOKS = 'docs/operations/runbooks.md';
/** What a runbook says, in this order. */
const PARTS = ['It means', 'Look at', 'Do'];

/** The parts of a page below headings of the second level, by the anchor of each. */
function sectionsOf(file: string): Map<string, string> {
  const page = readPage(file);
  const [, ...sections] = page.lines.join('\n').split(/^## /m);
  const [, ...anchors] = anchorsOf(page);
  assert.equal(anchors.length, sections.length);
  return new Map(sections.map((text, index) => [anchors[index] ?? '', text]));
}

describe('the alerts', () => {
  const alerts = readAlerts();

  test('each alert leads to a runbook that says what it means, what to look at and what to do', () => {
    const sections = sectionsOf(RUNBOOKS);
    for (const { alert, annotations } of alerts) {
      const [path = '', anchor = ''] = annotations.runbook_url.split('#');
      assert.equal(join(MONITORING, path), RUNBOOKS, alert);
      const said = [...(sections.get(anchor) ?? '').matchAll(/^\*\*(.+?)\*\*:/gm)].map(([, part]) => part);
      assert.deepEqual(said, PARTS, `${alert}: ${anchor}`);
    }
  });

  test('each runbook belongs to one alert, and both are in the same order', () => {
    const anchors = alerts.map(({ annotations }) => annotations.runbook_url.split('#')[1]);
    assert.deepEqual([...sectionsOf(RUNBOOKS).keys()], anchors);
  });

  test('the page about monitoring names each alert with its runbook, in the same order', () => {
    const text = readPage('docs/operations/monitor.md').lines.join('\n');
    const named = [...text.matchAll(/^\| \[(\w+)\]\((\S+)\)/gm)].map(([, alert, link]) => [alert, link]);
    const expected = alerts.map(({ alert, annotations }) => [
      alert,
      annotations.runbook_url.replace('../', ''),
    ]);
    assert.deepEqual(named, expected);
  });
});

describe('the dashboard', () => {
  const { panels } = readDashboard();

  test('each panel with a query has a unit and a description', () => {
    const wanting = panels.filter(
      ({ type, description = '', fieldConfig, targets = [] }) =>
        type !== 'row' &&
        (description === '' || (fieldConfig?.defaults.unit ?? '') === '' || targets.length === 0),
    );
    assert.deepEqual(
      wanting.map(({ title }) => title),
      [],
    );
    assert.ok(panels.length > 30);
  });

  test('the runbooks name only panels that it has', () => {
    const titles = new Set(panels.map(({ title }) => title));
    const lists = readPage(RUNBOOKS)
      .lines.join(' ')
      .matchAll(/\bpanels? ((?:\*[^*]+\*(?:, | and )?)+)/g);
    const named = [...lists].flatMap(([, list = '']) => [...list.matchAll(/\*([^*]+)\*/g)]);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.map(([, title = '']) => title).filter((title) => !titles.has(title)),
      [],
    );
  });
});
