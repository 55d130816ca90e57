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
  const requests = new Counter({
    name: 'causeway_http_requests_total',
    help: 'Requests answered, by route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'causeway_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const refusedKeys = new Counter({
    name: 'causeway_keys_refused_total',
    help: 'Requests refused while authenticating, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const refusedSignIns = new Counter({
    name: 'causeway_sign_ins_refused_total',
    help: 'Sign-ins and confirmations of staff that were refused, by way.',
    labelNames: ['way'],
    registers: [registry],
  });
  const toolCalls = new Counter({
    name: 'causeway_tool_calls_total',
    help: 'Calls of MCP tools, by outcome; refused: the caller got the reason, failed: an internal error.',
    labelNames: ['tool', 'outcome'],
    registers: [registry],
  });
  const jobRuns = new Counter({
    name: 'causeway_job_runs_total',
    help: 'Runs of background jobs, by outcome; elsewhere: another worker ran it; hung: ended after a timeout; lost: another worker took over.',
    labelNames: ['job_name', 'outcome'],
    registers: [registry],
  });
  const jobSuccess = new Gauge({
    name: 'causeway_job_last_success_timestamp_seconds',
    help: 'Unix time of the last success of each background job in this process; 0: none yet. Take the maximum of all workers.',
    labelNames: ['job_name'],
    registers: [registry],
  });
  const jobStart = new Gauge({
    name: 'causeway_job_start_timestamp_seconds',
    help: 'Unix time at which this process began to run each background job.',
    labelNames: ['job_name'],
    registers: [registry],
  });
  const jobInterval = new Gauge({
    name: 'causeway_job_interval_seconds',
    help: 'Time between two turns of each background job that has nothing to do.',
    labelNames: ['job_name'],
    registers: [registry],
  });
  const nodeCalls = new Counter({
    name: 'causeway_node_calls_total',
    help: 'Calls to EVM nodes; refused: the node answered with an error, failed: it did not answer.',
    labelNames: ['network', 'method', 'outcome'],
    registers: [registry],
  });
  const reads = new Counter({
    name: 'causeway_database_reads_total',
    help: 'Statements that replicas may answer, by the server that did; absent without DATABASE_READ_URLS.',
    labelNames: ['server'],
    registers: [registry],
  });
  const unlogged = new Counter({
    name: 'causeway_requests_unlogged_total',
    help: 'Requests of partners that the request log lacks; full: the buffer was, failed: the database did not store them.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const droppedSpans = new Counter({
    name: 'causeway_traces_dropped_total',
    help: 'Spans that were not exported; full: the buffer was, failed: the receiver did not take them.',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Methods, route patterns and statuses are few; finding their series by labels took longer than counting.
  const known = new Map<string, { count: Counter.Internal; time: Histogram.Internal<'method' | 'route'> }>();
  return {
    registry,
    observeRequest({ method, route, status }, elapsedSeconds) {
      const name = `${method} ${status} ${route}`;
      let series = known.get(name);
      if (!series) {
        series = {
          count: requests.labels(method, route, String(status)),
          time: seconds.labels(method, route),
        };
        known.set(name, series);
      }
      series.count.inc();
      series.time.observe(elapsedSeconds);
    },
    countRefusedKey(reason) {
      refusedKeys.inc({ reason });
    },
    countRefusedSignIn(way) {
      refusedSignIns.inc({ way });
    },
    countToolCall(tool, outcome) {
      toolCalls.inc({ tool, outcome });
    },
    noteJob(name, everyMs) {
      // Prometheus has a label `job` for what it scrapes.
      const labels = { job_name: name };
      jobStart.setToCurrentTime(labels);
      jobInterval.set(labels, everyMs / 1_000);
      jobSuccess.set(labels, 0);
    },
    countJob(name, outcome) {
      const labels = { job_name: name };
      jobRuns.inc({ ...labels, outcome });
      if (outcome === 'done') jobSuccess.setToCurrentTime(labels);
    },
    countNodeCall(network, method, outcome) {
      nodeCalls.inc({ network, method, outcome });
    },
    countRead(server) {
      reads.inc({ server });
    },
    countUnloggedRequests(reason, count) {
      unlogged.inc({ reason }, count);
    },
    countDroppedSpans(reason, count) {
      droppedSpans.inc({ reason }, count);
    },
    addGauges(sources, deps) {
      for (const { name, isCounter, help, labels, read } of sources) {
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
    },
    addPool(counts) {
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
    },
  };
}
