import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Deps } from '#context';
import { createMetrics } from '#platform/observe/metrics';
import { stuckAfterSeconds } from '#platform/worker/stalled-jobs';
import { gauges, jobs } from '../src/app.ts';

const docs = path.resolve(import.meta.dirname, '../docs');
const read = (file: string) => readFileSync(path.join(docs, file), 'utf8');

interface Shown {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  labelNames: string[];
}

/** Every metric of ours that a server exposes. */
function listMetrics(): Shown[] {
  const metrics = createMetrics();
  metrics.addPool(() => ({ total: 0, idle: 0, waiting: 0 }));
  metrics.addGauges(gauges, {} as Deps);
  const all = metrics.registry.getMetricsAsArray() as unknown as Shown[];
  return all.filter(({ name }) => name.startsWith('causeway_'));
}

const exposed = new Map(listMetrics().map((metric) => [metric.name, metric]));

/** The metric of a name in a query: a histogram is queried by its parts. */
const metricOf = (name: string) => exposed.get(name) ?? exposed.get(name.replace(/_(bucket|count|sum)$/, ''));

interface Alert {
  alert: string;
  expr: string;
  severity: string;
  summary: string;
  runbook: string;
}

/** The rules as they are written: one field a line, the expression on one line. */
function readAlerts(): Alert[] {
  const [, ...rules] = read('alerts.yml').split(/^ +- (?=alert:)/m);
  return rules.map((rule) => {
    const fields = rule.matchAll(/^ *(alert|expr|severity|summary|runbook): (.+)$/gm);
    return Object.fromEntries([...fields].map(([, name, value]) => [name, value])) as unknown as Alert;
  });
}

/** Every query of the board. */
function readQueries(): string[] {
  const queries: string[] = [];
  JSON.parse(read('grafana.json'), (name, value) => {
    if (name === 'expr') queries.push(value);
    return value;
  });
  return queries;
}

test('docs/metrics.md lists every metric with its type, labels and meaning', () => {
  const rows = [...exposed.keys()].sort().map((name) => {
    const { type, labelNames, help } = exposed.get(name)!;
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
  });
  assert.ok(rows.length > 40);
  assert.deepEqual(read('metrics.md').match(/^\| `causeway_.*$/gm), rows);
});

test('counters end in _total, ages in _age_seconds, and no label is one that Prometheus sets', () => {
  for (const { name, type, help, labelNames } of exposed.values()) {
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    if (/^(Age of|How long ago)/.test(help)) assert.match(name, /_age_seconds$/);
    for (const label of labelNames) assert.ok(!['job', 'instance', 'endpoint', 'le'].includes(label), name);
  }
});

test('alerts and the board use metrics and labels that there are', () => {
  const expressions = [...readAlerts().map(({ expr }) => expr), ...readQueries()];
  assert.ok(readAlerts().length > 20 && readQueries().length > 20);
  for (const expression of expressions) {
    const metrics = [...expression.matchAll(/\bcauseway_\w+/g)].map(([name]) => metricOf(name));
    assert.ok(metrics.length > 0 && metrics.every((metric) => metric), expression);
    const labels = metrics.flatMap((metric) => metric!.labelNames);
    const used = [
      ...[...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(', ')),
      ...[...expression.matchAll(/[{,] ?(\w+)(?:=~?|!=|!~)"/g)].map(([, label]) => label!),
    ];
    for (const label of used) assert.ok([...labels, 'le'].includes(label), `${label} in ${expression}`);
  }
});

test('every alert has a severity, says what to do, and names a heading of docs/operating.md', () => {
  const headings = [...read('operating.md').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(' ', '-'),
  );
  const names = readAlerts().map(({ alert }) => alert);
  assert.equal(new Set(names).size, names.length);
  for (const { alert, severity, summary, runbook } of readAlerts()) {
    assert.match(severity, /^(critical|warning)$/, alert);
    assert.ok(summary.length > 40, alert);
    const [file, heading] = runbook.split('#');
    assert.equal(file, 'docs/operating.md', alert);
    assert.ok(headings.includes(heading!), `${alert}: ${heading}`);
  }
});

test('CausewayJobStalled waits ten intervals of a job, as causeway doctor does', () => {
  const { expr } = readAlerts().find(({ alert }) => alert === 'CausewayJobStalled')!;
  const [, times, seconds] =
    /> on \(job_name\) clamp_min\((\d+) \* max by \(job_name\) \(causeway_job_interval_seconds\), (\d+)\)$/.exec(
      expr,
    ) ?? [];
  assert.ok(jobs.some(({ everyMs }) => everyMs === 3_600_000));
  for (const { name, everyMs } of jobs) {
    const limit = Math.max(Number(seconds), (everyMs / 1_000) * Number(times));
    assert.ok(limit > everyMs / 1_000, name);
    assert.equal(limit, stuckAfterSeconds(everyMs), name);
  }
  // 0 means none yet: such a job counts from its start and not from 1970.
  assert.match(expr, /last_success_timestamp_seconds > 0\) or .*causeway_job_start_timestamp_seconds\)/);
});
