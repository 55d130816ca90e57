import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A figure of a feature, read at each scrape. */
export interface GaugeSource<Deps> {
  name: string;
  /** A count that only grows, kept in the database: every process shows the same. */
  isCounter?: true;
  help: string;
  labels: readonly string[];
  read(deps: Deps): Promise<{ labels: Record<string, string>; value: number }[]>;
}

export interface Metrics {
  registry: Registry;
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  countRefusedKey(reason: string): void;
  countRefusedSignIn(way: string): void;
  /** refused: the tool sent its caller the reason; failed: an internal error. */
  countToolCall(tool: string, outcome: 'done' | 'refused' | 'failed'): void;
  /** Called before the first turn of a job in this process. */
  noteJob(name: string, everyMs: number): void;
  /** hung: ended after a timeout; lost: another worker took over. */
  countJob(name: string, outcome: 'done' | 'failed' | 'elsewhere' | 'hung' | 'lost'): void;
  countNodeCall(network: string, method: string, outcome: string): void;
  /** A statement that a replica may answer, by the server that did. */
  countRead(server: 'replica' | 'primary'): void;
  /** full: the buffer was; failed: the database did not store them. */
  countUnloggedRequests(reason: 'full' | 'failed', count: number): void;
  /** full: the buffer was; failed: the receiver did not take them. */
  countDroppedSpans(reason: 'full' | 'failed', count: number): void;
  /**
   * Adds figures that are read at each scrape; a source that fails leaves a gap instead of failing the
   * scrape.
   */
  addGauges<Deps>(sources: readonly GaugeSource<Deps>[], deps: Deps): void;
  addPool(counts: () => { total: number; idle: number; waiting: number }): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const figures = defineFigures(registry);
  return {
    registry,
    observeRequest({ method, route, status }, elapsedSeconds) {
      figures.requests.inc({ method, route, status: String(status) });
      figures.seconds.observe({ method, route }, elapsedSeconds);
    },
    countRefusedKey(reason) {
      figures.refusedKeys.inc({ reason });
    },
    countRefusedSignIn(way) {
      figures.refusedSignIns.inc({ way });
    },
    countToolCall(tool, outcome) {
      figures.toolCalls.inc({ tool, outcome });
    },
    noteJob(name, everyMs) {
      // Prometheus has a label `job` for what it scrapes.
      const labels = { job_name: name };
      figures.jobStart.setToCurrentTime(labels);
      figures.jobInterval.set(labels, everyMs / 1_000);
      figures.jobSuccess.set(labels, 0);
    },
    countJob(name, outcome) {
      const labels = { job_name: name };
      figures.jobRuns.inc({ ...labels, outcome });
      if (outcome === 'done') figures.jobSuccess.setToCurrentTime(labels);
    },
    countNodeCall(network, method, outcome) {
      figures.nodeCalls.inc({ network, method, outcome });
    },
    countRead(server) {
      figures.reads.inc({ server });
    },
    countUnloggedRequests(reason, count) {
      figures.unlogged.inc({ reason }, count);
    },
    countDroppedSpans(reason, count) {
      figures.droppedSpans.inc({ reason }, count);
    },
    addGauges(sources, deps) {
      for (const source of sources) addGauge(registry, source, deps);
    },
    addPool: (counts) => addPool(registry, counts),
  };
}

/** The figures that code counts. Their meaning for operators is in `docs/metrics.md`. */
function defineFigures(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, labelNames: Label[], help: string) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, labelNames: Label[], help: string) =>
    new Gauge({ name, help, labelNames, registers });
  return {
    requests: counter(
      'causeway_http_requests_total',
      ['method', 'route', 'status'],
      'Requests answered, by route pattern and status.',
    ),
    seconds: new Histogram({
      name: 'causeway_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last byte of its answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    refusedKeys: counter(
      'causeway_keys_refused_total',
      ['reason'],
      'Requests refused while authenticating, by reason.',
    ),
    refusedSignIns: counter(
      'causeway_sign_ins_refused_total',
      ['way'],
      'Sign-ins and confirmations of staff that were refused, by way.',
    ),
    toolCalls: counter(
      'causeway_tool_calls_total',
      ['tool', 'outcome'],
      'Calls of MCP tools, by outcome; refused: the caller got the reason, failed: an internal error.',
    ),
    jobRuns: counter(
      'causeway_job_runs_total',
      ['job_name', 'outcome'],
      'Runs of background jobs, by outcome; elsewhere: another worker ran it; hung: ended after a timeout; lost: another worker took over.',
    ),
    jobSuccess: gauge(
      'causeway_job_last_success_timestamp_seconds',
      ['job_name'],
      'Unix time of the last success of each background job in this process; 0: none yet. Take the maximum of all workers.',
    ),
    jobStart: gauge(
      'causeway_job_start_timestamp_seconds',
      ['job_name'],
      'Unix time at which this process began to run each background job.',
    ),
    jobInterval: gauge(
      'causeway_job_interval_seconds',
      ['job_name'],
      'Time between two turns of each background job that has nothing to do.',
    ),
    nodeCalls: counter(
      'causeway_node_calls_total',
      ['network', 'method', 'outcome'],
      'Calls to EVM nodes; refused: the node answered with an error, failed: it did not answer.',
    ),
    reads: counter(
      'causeway_database_reads_total',
      ['server'],
      'Statements that replicas may answer, by the server that did; absent without DATABASE_READ_URLS.',
    ),
    unlogged: counter(
      'causeway_requests_unlogged_total',
      ['reason'],
      'Requests of partners that the request log lacks; full: the buffer was, failed: the database did not store them.',
    ),
    droppedSpans: counter(
      'causeway_traces_dropped_total',
      ['reason'],
      'Spans that were not exported; full: the buffer was, failed: the receiver did not take them.',
    ),
  };
}

function addGauge<Deps>(registry: Registry, source: GaugeSource<Deps>, deps: Deps): void {
  const { name, isCounter, help, labels, read } = source;
  const collect = async () => {
    const rows = await read(deps).catch(() => []);
    // Nothing is awaited from here on: another scrape may be filling the same metric.
    metric.reset();
    // Without labels, a reset leaves a 0, but what was not read is absent.
    if (labels.length === 0) metric.remove();
    for (const row of rows) metric.inc(row.labels, row.value);
  };
  const shape = { name, help, labelNames: [...labels], registers: [registry], collect };
  const metric = isCounter ? new Counter(shape) : new Gauge(shape);
}

function addPool(registry: Registry, counts: Parameters<Metrics['addPool']>[0]): void {
  new Gauge({
    name: 'causeway_database_connections',
    help: 'Connections of this process to PostgreSQL, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = counts();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}
