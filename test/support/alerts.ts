import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './root.ts';

/** Where the files for Prometheus and Grafana are. */
export const MONITORING = 'docs/operations/monitoring';

/** An alert of the rules file. */
export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

/** A metric that Prometheus makes of others. */
export interface Recording {
  record: string;
  expr: string;
}

/** The rules of Prometheus, in their order. */
export function readRules(): (Alert | Recording)[] {
  const text = readFileSync(join(ROOT, MONITORING, 'alerts.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { rules: (Alert | Recording)[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** The alerts, in their order. */
export const readAlerts = () => readRules().filter((rule) => 'alert' in rule);

/** A panel of the dashboard. A row has no queries. */
export interface Panel {
  type: string;
  title: string;
  description?: string;
  fieldConfig?: { defaults: { unit?: string } };
  targets?: { expr: string; legendFormat: string }[];
}

/** The dashboard of Grafana. */
export interface Dashboard {
  id: null;
  uid: string;
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; type: string; query: string | { query: string } }[] };
}

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(join(ROOT, MONITORING, 'dashboard.json'), 'utf8')) as Dashboard;
}
